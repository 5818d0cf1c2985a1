/*
 * event.h - events, which engines measure and formats hold.
 *
 * An event has a kind, up to four values whose types depend on the kind, and what it belongs to: a
 * trace, a thread, a class, a text. A sum over time (a row of a table) is an event too. The kinds
 * and their values are in kind/kind.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "kind/kind.h"
#include "profile/ids.h"

enum event_blocked_by {
    EVENT_BLOCKED_ENTER,
    EVENT_BLOCKED_WAIT,
    EVENT_BLOCKED_PARK,
    EVENT_BLOCKED_NATIVE
};

/** Additional facts about a single wait of a blocked thread. A sum of waits does not have them. */
struct event_blocked {
    enum event_blocked_by by;
    /* address of the monitor, blocker or lock; tells two objects of one class apart; 0: unknown */
    uint64_t address;
    thread_id owner; /* the thread that held the monitor when the wait began; 0: unknown */
    /* The planned length of the wait: Object.wait(timeout_ms), parkNanos(timeout_ns), parkUntil. */
    bool has_timeout, has_until, has_timed_out;
    int64_t timeout, until_ms;
};

/** Additional facts from one look at the process; 0: unknown. */
struct event_levels {
    uint64_t resident_peak_bytes;
    uint64_t daemon_threads, peak_threads, started_threads;
};

/** The block of a single allocation of native memory, a range that was mapped, or the end of one.
 */
struct event_block {
    uint64_t address; /* 0: nobody will see its end */
    uint64_t bytes;   /* of the block itself, not what it stands for */
    bool is_freed;    /* the event is its end; its values are 0 */
};

/** Additional facts about one safepoint to which threads came late. */
struct event_safepoint {
    uint32_t late_threads; /* the most that were seen late at one moment */
    const char *late_in;   /* what the last one ran: static text, ttsp.h */
};

enum event_io_op {
    EVENT_IO_FILE_READ,
    EVENT_IO_FILE_WRITE,
    EVENT_IO_FILE_FORCE,
    EVENT_IO_SOCKET_READ,
    EVENT_IO_SOCKET_WRITE,
    EVENT_IO_SOCKET_CONNECT,
    EVENT_IO_SOCKET_ACCEPT,
};

/** Additional facts about a single call that reads, writes or connects. */
struct event_io {
    enum event_io_op op;
    const char *path;    /* of a file; NULL: unknown */
    const char *host;    /* of a socket: its peer, by address or by path; NULL: unknown */
    const char *address; /* the same if it is an address, else NULL */
    uint16_t port;
    uint32_t timeout_ms; /* how long a read was to wait at most; 0: for ever */
    bool is_end;         /* nothing was left to read */
    bool with_metadata;  /* a force of the file's times and length, too */
};

/** All calls of one method that have ended. The times are in ns and include callees. */
struct event_timing {
    method_id method;
    uint64_t calls; /* at least 1 */
    uint64_t total, least, most;
};

/** The method of a single call. A sum of calls does not have it. */
struct event_call {
    method_id method;
};

/** Traps of one event that get an event each in files; those above it get none. */
enum { EVENT_TRAPS_MOST = 1000 };

/** Additional facts about one method that the VM has compiled, or whose code has met a trap or was
 * given up. */
struct event_compilation {
    method_id method;
    uint32_t id;   /* the VM's number of the compilation; 0: unknown */
    uint8_t level; /* 1 to 3: C1; 4: C2, or the compiler in its place; 0: unknown */
    bool is_osr;   /* made for a loop that runs */
};

/** Additional facts about one look at a code heap, or one moment at which it was full. */
struct event_code_heap {
    uint64_t start, committed_top, reserved_top; /* addresses */
    uint64_t free_bytes;                         /* of the reserved memory */
    uint32_t entries, methods, adapters;
    bool is_full;
    uint32_t full_count;     /* if is_full: the VM's count since its start */
    uint64_t capacity_bytes; /* if is_full: the reserved bytes of all heaps */
};

enum event_virtual_what { EVENT_VIRTUAL_START, EVENT_VIRTUAL_END, EVENT_VIRTUAL_PINNED };

/** Additional facts about a virtual thread that started, ended, or was pinned. */
struct event_virtual {
    enum event_virtual_what what;
    uint64_t java_id;      /* Thread.threadId() */
    thread_id carrier;     /* of a pinned thread; 0: unknown */
    const char *operation; /* what the pinned thread waited in: static text */
};

/** What the VM does itself: one of the fields is set. */
struct event_of_vm {
    const struct event_compilation *compilation; /* for compiled code */
    const struct event_code_heap *code_heap;     /* for one look at a code heap */
    const struct event_virtual *virtual;         /* for one virtual thread */
};

struct custom_event;

struct event {
    enum kind_id kind;
    trace_id trace;     /* never 0: trace 1 is the empty trace */
    thread_id thread;   /* 0: the thread of the trace, if the trace has one */
    class_id klass;     /* class of the objects; 0: none */
    string_id text;     /* meaning depends on the kind, see kind_NAME.c; 0: none */
    context_id context; /* what the thread worked for (context.h); 0: unknown */
    /* in the agent CLOCK_MONOTONIC, in a reader ns since the epoch; 0: unknown, or the event is a
     * sum */
    uint64_t time_ns;
    /* for one object that lives at time_ns: when it was allocated; otherwise 0 */
    uint64_t made_ns;
    uint64_t value[KIND_VALUES];
    bool is_truncated; /* the stack had more frames than the trace */
    bool is_waiting;   /* of wall-clock samples: the thread was not running */
    bool is_biased;    /* a sample whose stack is that of the next safepoint */
    /* For one wait of a blocked thread, which ended at time_ns. NULL: the event is a sum or of
     * another kind. Owner: the caller. */
    const struct event_blocked *blocked;
    const struct event_levels *levels;       /* for one look at the process; otherwise NULL */
    const struct event_block *block;         /* for one block of native memory; otherwise NULL */
    const struct event_safepoint *safepoint; /* for one safepoint that was late; otherwise NULL */
    const struct event_call *call;           /* for one call of a method; otherwise NULL */
    struct event_of_vm of_vm;
    const struct event_io *io;         /* for one call for a file or a socket; otherwise NULL */
    const struct custom_event *custom; /* for one event with its own fields; otherwise NULL */
};
