/*
 * counted.h - from the overflow of a perf event's counter to a sample in the ring.
 *
 * Each thread has a slot and a perf event, which stops and raises a signal on that thread after
 * each `interval` events. The handler reads the counter, finds how many events have happened since
 * the last sample (the sample's weight), walks the stack, leaves a record in the ring, and lets the
 * event go on. The weights of a thread and what remains in its counter therefore add up to the
 * counter, whatever happens to single signals. While the event is stopped it does not count, so the
 * handler's own events are in no sample.
 *
 * Switches of threads. A signal wakes a thread that waits in the kernel; the thread goes back to
 * wait, and that is one more switch, which the signal has caused. The handler sees that the thread
 * stands at a system call, expects this one more event, and leaves it out of the next weight. If
 * the wait has ended meanwhile, there is no such event, and a real one is left out in its place.
 *
 * Pace. A thread that has more than 10,000 samples in a second waits for twice as many events, and
 * so on, until it has fewer; weights do not change by this.
 *
 * The handler reads the slot (this module's own memory, never freed), the siginfo and ucontext that
 * the kernel gave it, the counter by read(2), two bytes of the code that the thread was running
 * (mapped, as the thread runs it), the ring, and what scope.h and the walker document. It writes
 * only the slot and the ring, and calls ioctl(2) on the slot's event.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "safe/ring.h"
#include "safe/scope.h"
#include "safe/walk.h"

enum {
    COUNTED_SLOTS = 32768,           /* threads that can be measured at one time */
    COUNTED_FDS = 65536,             /* descriptors at or above this are not used */
    COUNTED_WAS = COUNTED_SLOTS + 1, /* in slot_of_fd: was ours; its late signals are swallowed */
};

/** One measured thread. The agent fills the slot before counted_bind(). */
struct counted_slot {
    _Atomic uint32_t used;
    uint32_t serial;      /* the thread's serial in files; 0: not a Java thread */
    int32_t tid;          /* the kernel's thread id */
    _Atomic int32_t fd;   /* its perf event; -1: none */
    void *jni_env;        /* NULL: not a Java thread */
    uint64_t java_thread; /* address of the JavaThread; 0: unknown */
    /* counter up to which events are in samples; the thread's handler writes it */
    _Atomic uint64_t taken;
    _Atomic uint32_t own;       /* events behind `taken` that the last signal has caused */
    _Atomic uint32_t doublings; /* of the interval: the pace */
    uint64_t period;            /* that the event has now */
    uint64_t window_ns;         /* when the last PACE_SIGNALS signals began to be counted */
    uint32_t window_signals;
    uint64_t looked; /* `taken` at the agent's last look */
    uint32_t still;  /* looks since it has changed */
};

/** One record of the ring. */
struct counted_sample {
    uint64_t time_ns; /* CLOCK_MONOTONIC at the signal */
    uint64_t events;  /* that this sample stands for, at least 1 */
    uint32_t serial;  /* the serial of the thread; 0: not a Java thread */
    int32_t result;   /* number of frames, or -(1 + enum walk_cause) */
    uint32_t truncated;
    struct scope_values scopes; /* the scopes that were open */
    struct walk_frame frames[];
};

/** Everything the handler needs; set up once, kept for ever. */
struct counted {
    struct counted_slot *slots;   /* COUNTED_SLOTS slots */
    _Atomic uint32_t *slot_of_fd; /* COUNTED_FDS: slot index + 1; 0: never ours; or COUNTED_WAS */
    struct ring ring;
    const struct walker *walker;
    uint64_t interval; /* events from sample to sample */
    bool is_switch;    /* the events are switches of threads: see above */
    /* the events do not stop at a signal: Linux 6.18 does not start a breakpoint of the processor
     * again that has stopped, nor a tracepoint. Source: Linux,
     * kernel/trace/trace_event_perf.c: perf_trace_add() */
    bool goes_on;
    uint32_t depth;     /* frames wanted; a sample has room for one more */
    void (*wake)(void); /* called when the ring is a quarter full; must be async-signal-safe */
    /* events: in samples that found the ring full; that signals of ours have caused */
    _Atomic uint64_t lost, caused;
    _Atomic uint64_t signals;
};

/** How many bytes the longest sample has. Context: any. */
size_t counted_sample_bytes(uint32_t depth);

/** A free slot, zeroed except `used`; NULL: all slots are taken. Context: any. */
struct counted_slot *counted_slot_open(struct counted *c);
/** Give a slot back; its event is closed. Context: any. */
void counted_slot_close(struct counted_slot *slot);
/** Tell the handler to which slot an event belongs; slot NULL: to none. Returns -1 if fd is too
 * large. Context: any. */
int counted_bind(struct counted *c, int fd, const struct counted_slot *slot);
/** Let the slot's event run until its next overflow. Context: signal. */
void counted_go_on(struct counted *c, struct counted_slot *slot);
/** The events in the counter of `fd`, the slot's event, that are in no sample yet. Context: signal.
 */
uint64_t counted_rest(const struct counted_slot *slot, int fd);

/**
 * Install the handler of `signal`, and answer signals from now on. Borrows `c` for ever. A handler
 * of an earlier signal stays.
 * Errors: 0; -EBUSY: the signal has another handler; -errno. Context: any.
 */
int counted_install(struct counted *c, int signal);
/** Whether the handler of the last installed signal is still ours. Context: any. */
bool counted_has_signal(void);
/** Whether the handler of `signal` is ours. Context: any. */
bool counted_holds(int signal);
/** Swallow signals that still come from now on. The events may be closed once counted_is_quiet() is
 * true. The handlers stay, because the default action of the signal would end the process. */
void counted_close(void);
/** Whether no handler uses a slot, or anything that was taken out of a slot before this call. */
bool counted_is_quiet(void);
