/*
 * found.h - what a reader found in a file besides samples and sites.
 *
 * Which tables the file has, the rows of its tables of times, and its last dump of threads and
 * monitors. A part of the model (profile_found()), in its arena; for readers and the command.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/profile.h"
#include "profile/table.h"

struct arena;

enum found_kind {
    FOUND_SAMPLES,
    FOUND_SITES,
    /* Tables of times; their rows are kept here. */
    FOUND_TIMES,      /* cpu=times: calls, and time without that of callees */
    FOUND_OPEN,       /* of cpu=times, too: the calls that had not ended at the last dump */
    FOUND_WAITS,      /* of cpu=times, too: calls of methods that do nothing but wait, */
    FOUND_OPEN_WAITS, /* and those that had not ended */
    FOUND_OLD,        /* cpu=old: calls by callee and caller, and time with that of callees */
    FOUND_MONITORS,   /* MONITOR TIME: contended enters, and the time until the thread had it */
    FOUND_TIME_KINDS,
    FOUND_MONITOR_DUMP = FOUND_TIME_KINDS,
    FOUND_HEAP_DUMP,
    FOUND_KINDS,
};

/** A row of a table of times. Several tables of a file may have rows for one trace. */
struct found_time {
    trace_id trace;
    string_id name; /* MONITOR TIME: the class, and in parentheses what it is */
    uint64_t us, count;
};

/** A thread in the last MONITOR DUMP. */
struct found_thread {
    thread_id thread; /* 0: unknown */
    trace_id trace;
    string_id status;
};

/** A monitor in it. */
struct found_monitor {
    string_id signature;
    thread_id owner; /* 0: nobody */
    uint32_t entry_count;
};

/** A thread that waits for a monitor of it. */
struct found_waiter {
    uint32_t monitor; /* its row */
    thread_id thread;
    int is_entering; /* else it waits to be notified */
};

struct found {
    struct arena *arena; /* the model's */
    uint64_t lost;       /* rows that found no room */
    uint32_t seen[FOUND_KINDS];
    struct table times[FOUND_TIME_KINDS];
    uint64_t total_us[FOUND_TIME_KINDS];      /* rows below the cutoff too */
    struct found_time sums[FOUND_TIME_KINDS]; /* `us` and `count` of all rows */
    struct table threads, monitors, waits;    /* of the last MONITOR DUMP */
    uint64_t heap_objects, heap_bytes;        /* of the last heap dump, where it says so */
};

void found_init(struct found *f, struct arena *arena);
/** Errors: 0; E_LIMIT: the sums of this kind would no longer fit, and the row is not there. */
int found_add_time(struct found *f, enum found_kind kind, const struct found_time *row);
/** Forgets earlier tables of this kind. */
void found_clear_times(struct found *f, enum found_kind kind);
/** Forgets an earlier dump. */
void found_begin_dump(struct found *f);
void found_add_thread(struct found *f, const struct found_thread *row);
/** The monitor that found_add_waiter() speaks of from now on. */
void found_add_monitor(struct found *f, const struct found_monitor *row);
void found_add_waiter(struct found *f, thread_id thread, int is_entering);
