/*
 * tick.h - from a timer signal to a sample in the ring.
 *
 * Each sampled thread has a slot. A timer of that thread's CPU time raises a signal on the thread,
 * in most cases SIGPROF. The handler reads the thread's clock, finds how many intervals have passed
 * since the last sample (the sample's weight), walks the stack, and leaves a record in the ring.
 * The weights of a thread therefore add up to its CPU time, whatever the timer does: a late, merged
 * or lost signal moves a sample by one signal, but loses no time. If a thread has run for long
 * without a signal, the time of that run belongs to no stack: it is taken out of the time that is
 * due, and counted (tick_miss()).
 *
 * The handler reads the slot (this module's own memory, never freed), the siginfo and ucontext that
 * the kernel gave it, the ring, and what scope.h, kernel_ring.h and the walker document. It writes
 * only the slot and the ring.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "safe/pace.h"
#include "safe/ring.h"
#include "safe/scope.h"
#include "safe/walk.h"

enum {
    TICK_SLOTS = 32768,        /* threads that can be sampled at one time */
    TICK_FDS = 65536,          /* descriptors at or above this are not used for timers */
    TICK_WAS = TICK_SLOTS + 1, /* in slot_of_fd: was ours; its late signals are swallowed */
};

enum tick_kind { TICK_OTHER, TICK_JAVA };

/** The reason why CPU time of a thread was due and no signal said where the thread spent it. */
enum tick_miss { TICK_NOT_MISSED, TICK_SIGNAL_LOST, TICK_SIGNAL_BLOCKED };

/** The timer that raises the signal on one thread; only src/agent/timer/ uses it, except `fd`. */
struct tick_timer {
    _Atomic int32_t fd; /* perf event; -1: none */
    bool is_armed;
    uint8_t source; /* which source of timers it comes from */
    uint8_t signal; /* the signal that it raises */
    timer_t id;     /* POSIX timer; valid if is_armed and fd is -1 */
};

/** One sampled thread. The agent fills the slot before it arms the timer; see tick_slot_open(). */
struct tick_slot {
    _Atomic uint32_t used;
    uint32_t serial;            /* the thread's serial in files; 0: not a Java thread */
    int32_t tid;                /* the kernel's thread id */
    uint8_t kind;               /* enum tick_kind */
    _Atomic bool period_is_set; /* perf: the period of `pace` has replaced the first, random one */
    _Atomic uint8_t missed;     /* enum tick_miss: why time before the next sample was missed */
    struct tick_timer timer;
    struct pace pace;
    void *jni_env;        /* NULL: not a Java thread */
    uint64_t java_thread; /* address of the JavaThread; 0: unknown */
    uint64_t interval_ns;
    uint64_t leeway_ns;      /* a signal may come this much before it is due: the clocks differ */
    _Atomic int64_t due_ns;  /* on the thread's clock: next sample is due, less leeway */
    _Atomic uint32_t is_off; /* the thread's time passes without samples */
    _Atomic(void *) kernel_ring;  /* perf: the ring for safe/kernel_ring.h, or NULL */
    _Atomic uint64_t other_ticks; /* TICK_OTHER: intervals seen; the drain thread reads this */
    _Atomic uint32_t lost; /* intervals whose sample found the ring full; slots.c takes this */
    char name[16];         /* TICK_OTHER: the kernel's name of the thread */
    struct {
        int64_t due_ns;
        uint64_t count, cpu_ns;
    } looked; /* what gaps.c saw at its last look */
};

/** One record of the ring. */
struct tick_sample {
    uint64_t time_ns; /* CLOCK_MONOTONIC at the signal */
    uint32_t serial;  /* the serial of the thread */
    uint32_t weight;  /* intervals of CPU time that this sample stands for, at least 1 */
    int32_t result;   /* number of frames, or -(1 + enum walk_cause) */
    uint32_t truncated;
    struct scope_values scopes; /* the scopes that were open */
    struct walk_frame frames[];
};

struct tick_counts {
    uint64_t signals; /* signals of ours */
    uint64_t early;   /* of these: before a whole interval; no sample was due */
    uint64_t foreign; /* signals that were not ours and were passed on */
    uint64_t lost;    /* intervals whose sample found the ring full */
    uint64_t ended;   /* intervals due when their thread ended, without a signal yet */
    uint64_t blocked; /* intervals in which their thread blocked the signal */
    uint64_t missed;  /* intervals before a signal that came after lost signals */
    uint64_t
        kernel_stale; /* intervals whose kernel frames were of another moment and were left out */
};

/** Everything the handler needs; set up once, kept for ever. */
struct tick {
    struct tick_slot *slots;      /* TICK_SLOTS slots */
    _Atomic uint32_t *slot_of_fd; /* TICK_FDS entries: slot index + 1; 0: never ours; or TICK_WAS */
    struct ring ring;
    const struct walker *walker;
    int signal;     /* the signal that the timers raise; tick_take() changes it */
    uint32_t depth; /* frames wanted; a sample has room for one more, to see truncation */
    size_t
        kernel_page; /* bytes of a page if kernel frames are wanted, else 0; set with walks_all */
    bool walks_all;  /* walk threads that are not Java threads, too; set before the first timer */
    void (*wake)(void); /* called when the ring is a quarter full; must be async-signal-safe */
    _Atomic uint64_t signals, early, foreign, lost, ended, blocked, missed, kernel_stale;
};

/** How many bytes the longest sample has: one with `depth` frames and one more. Context: any. */
size_t tick_sample_bytes(uint32_t depth);

/** A free slot, zeroed except `used`; NULL: all slots are taken. Context: any. */
struct tick_slot *tick_slot_open(struct tick *t);
/**
 * End a slot's thread: count the intervals that are due by now and have had no signal yet. Without
 * this, timers that fire late would make short threads look cheaper than they are. `is_blocked`:
 * the thread itself blocks the signal. Context: the slot's thread; the signal is blocked, and the
 * timer still exists.
 */
void tick_settle(struct tick *t, struct tick_slot *slot, bool is_blocked);
/**
 * Tell that a thread has run without a signal, for the reason `why`. What is due at `now_ns` of the
 * thread's clock belongs to no sample, and neither does the time before the thread's next sample.
 * The thread's own handler may run at the same time: each interval is counted once. Context: any.
 */
void tick_miss(struct tick *t, struct tick_slot *slot, int64_t now_ns, enum tick_miss why);
/** Give a slot back. Its timer must be gone. Context: any. */
void tick_slot_close(struct tick *t, struct tick_slot *slot);
/** Tell the handler to which slot a perf event belongs; slot NULL: to none. Returns -1 if fd is too
 * large. Context: any. */
int tick_bind_fd(struct tick *t, int fd, const struct tick_slot *slot);

/** Whether the slot's perf event keeps running while a signal is on its way. An event with a
 * shorter interval stops until the handler has run. Context: signal. */
static inline bool tick_goes_on(const struct tick_slot *slot)
{
    return slot->interval_ns >= PACE_LONGEST_NS;
}

/**
 * Install the handler of t->signal (one for the process, for ever) and keep the application's
 * handler. A signal that is not ours goes to the application's handler. If there was none, the
 * signal is ignored, because the default action would end the process. Context: any. Errors: 0,
 * -errno.
 */
int tick_install(struct tick *t);
/** Whether the handler of the signal is still ours, or none was installed. Context: any. */
bool tick_has_signal(void);
/**
 * Take the signal back if the application has put its own handler in place of ours; foreign signals
 * are then passed on to that handler. Returns 1 if this happened, 0 if there was no need. Context:
 * any.
 */
int tick_reinstall(void);
/**
 * Leave the present signal to the handler that has it now, and use another signal. The handler of
 * the new signal is installed when this function returns. The caller must then make the timers
 * anew. Context: any. Errors: 0; -errno, and then nothing has changed.
 */
int tick_take(struct tick *t, int signal);
/** Start the handler again after tick_stop(), with the present contents of `t`. The timers may need
 * a restart. */
void tick_go_on(struct tick *t);
/** Swallow signals that still come from now on. The timers may go once tick_is_quiet() is true. */
void tick_stop(void);
/**
 * Whether no handler is running. If this is true after tick_stop(), no handler uses a slot any
 * more, nor anything that was taken out of a slot before this call.
 */
bool tick_is_quiet(void);
/** Put the application's handlers back, after the timers have gone. */
void tick_uninstall(void);
/** Whether the handler of `signal` is ours, and no other handler is in its place. Context: any. */
bool tick_holds(int signal);

struct tick_counts tick_counts(const struct tick *t);
