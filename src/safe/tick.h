/*
 * tick.h - from a timer signal to a sample in the ring.
 *
 * Each sampled thread has a slot. A timer of that thread's CPU time raises a signal on it, SIGPROF
 * as a rule; the handler reads the thread's clock, finds how many intervals have passed since the
 * last sample (the sample's weight), walks the stack and leaves a record in the ring. So the
 * weights of a thread add up to its CPU time whatever the timer does: late, merged and lost signals
 * move a sample by one signal, they do not lose time. Where a thread has run for long without a
 * signal that time is no stack's: it is taken out of what is due, and counted (tick_miss()).
 *
 * What the handler reads: the slot (this module's own memory, never freed), the siginfo and
 * ucontext the kernel gave it, the ring, and what scope.h, kernel_ring.h and the walker document.
 * It writes only the slot and the ring. SPDX-License-Identifier: Apache-2.0
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
    TICK_WAS = TICK_SLOTS + 1, /* in slot_of_fd: was ours; a late signal of it is swallowed */
};

enum tick_kind { TICK_OTHER, TICK_JAVA };

/** Why CPU time of a thread was due and no signal told where it went. */
enum tick_miss { TICK_NOT_MISSED, TICK_SIGNAL_LOST, TICK_SIGNAL_BLOCKED };

/** What raises the signal on one thread; the timers' own (src/agent/timer/), but for `fd`. */
struct tick_timer {
    _Atomic int32_t fd; /* perf event, or -1 */
    bool is_armed;
    uint8_t source; /* which of the timers' sources it is */
    uint8_t signal; /* that it raises */
    timer_t id;     /* POSIX timer, valid if is_armed and fd is -1 */
};

/** One sampled thread. The agent fills it before it arms the timer; see tick_slot_open(). */
struct tick_slot {
    _Atomic uint32_t used;
    uint32_t serial; /* the thread's serial in files; 0 for threads that are not Java's */
    int32_t tid;     /* as the kernel numbers it */
    uint8_t kind;    /* enum tick_kind */
    _Atomic bool period_is_set; /* perf: the first, random period has given way to that of `pace` */
    _Atomic uint8_t missed;     /* enum tick_miss: of what lies before its next sample */
    struct tick_timer timer;
    struct pace pace;
    void *jni_env;        /* NULL for threads that are not Java's */
    uint64_t java_thread; /* address of the JavaThread, 0 unknown */
    uint64_t interval_ns;
    uint64_t leeway_ns; /* so much earlier than due a signal counts: its clock is not the timer's */
    _Atomic int64_t due_ns;       /* on its clock: when the next sample is due, less the leeway */
    _Atomic uint32_t is_off;      /* its time passes without samples */
    _Atomic(void *) kernel_ring;  /* perf: what safe/kernel_ring.h reads, or NULL */
    _Atomic uint64_t other_ticks; /* TICK_OTHER: intervals seen, read by the drain thread */
    _Atomic uint32_t lost;        /* intervals whose sample found the ring full; taken by slots.c */
    char name[16];                /* TICK_OTHER: the kernel's name of the thread */
    struct {
        int64_t due_ns;
        uint64_t count, cpu_ns;
    } looked; /* what gaps.c saw when it last looked */
};

/** One record of the ring. */
struct tick_sample {
    uint64_t time_ns; /* CLOCK_MONOTONIC at the signal */
    uint32_t serial;  /* of the thread */
    uint32_t weight;  /* intervals of CPU time that this sample stands for, at least 1 */
    int32_t result;   /* number of frames, or -(1 + enum walk_cause) */
    uint32_t truncated;
    struct scope_values scopes; /* that were open */
    struct walk_frame frames[];
};

struct tick_counts {
    uint64_t signals; /* signals of ours */
    uint64_t early;   /* of them: before a whole interval had passed; no sample was due */
    uint64_t foreign; /* signals that were not ours and were passed on */
    uint64_t lost;    /* intervals whose sample found the ring full */
    uint64_t ended;   /* intervals that were due when their thread ended, and had no signal yet */
    uint64_t blocked; /* intervals in which their thread blocked the signal */
    uint64_t missed;  /* intervals before a signal that came after lost ones */
    uint64_t
        kernel_stale; /* of the samples' intervals: kernel frames left out, of another moment */
};

/** Everything the handler needs; set up once, kept for ever. */
struct tick {
    struct tick_slot *slots;      /* TICK_SLOTS of them */
    _Atomic uint32_t *slot_of_fd; /* TICK_FDS entries: slot index + 1, 0 never ours, or TICK_WAS */
    struct ring ring;
    const struct walker *walker;
    int signal;     /* that the timers raise; changed by tick_take() */
    uint32_t depth; /* frames wanted; samples have room for one more, to see truncation */
    size_t
        kernel_page; /* bytes of a page where kernel frames are wanted, else 0; set as the next */
    bool walks_all;  /* stacks of threads that are not Java's too; set before the first timer */
    void (*wake)(void); /* called when the ring is a quarter full; async-signal-safe */
    _Atomic uint64_t signals, early, foreign, lost, ended, blocked, missed, kernel_stale;
};

/** Bytes of the longest sample, which has `depth` frames and one more. Context: any. */
size_t tick_sample_bytes(uint32_t depth);

/** A free slot, zeroed but for `used`, or NULL: all are taken. Context: any. */
struct tick_slot *tick_slot_open(struct tick *t);
/**
 * The thread of this slot ends: count the intervals that are due by now and had no signal yet, so
 * that timers that fire late do not make short threads look cheaper than they are. `is_blocked`:
 * the thread itself blocks the signal. Context: the slot's thread, the signal blocked, the timer
 * still there.
 */
void tick_settle(struct tick *t, struct tick_slot *slot, bool is_blocked);
/**
 * A thread has run without a signal, for the reason `why`: what is due at `now_ns` of its clock is
 * nobody's sample, nor is what comes before its next one. Safe beside the thread's own handler:
 * each interval is counted once. Context: any.
 */
void tick_miss(struct tick *t, struct tick_slot *slot, int64_t now_ns, enum tick_miss why);
/** Give a slot back; its timer must be gone. Context: any. */
void tick_slot_close(struct tick *t, struct tick_slot *slot);
/** Tell the handler which slot a perf event belongs to; slot NULL: none. -1: fd too large. */
int tick_bind_fd(struct tick *t, int fd, const struct tick_slot *slot);

/** Whether the slot's perf event goes on while a signal is on its way; a shorter one stops until
 * the handler has run. Context: signal. */
static inline bool tick_goes_on(const struct tick_slot *slot)
{
    return slot->interval_ns >= PACE_LONGEST_NS;
}

/**
 * Install the handler of t->signal (one for the process, for ever) and keep the application's.
 * A signal that is not ours goes to the handler that was there; where there was none it is ignored,
 * since the default action would end the process. Context: any. Errors: 0, -errno.
 */
int tick_install(struct tick *t);
/** The handler of the signal is still ours, or none was installed. Context: any. */
bool tick_has_signal(void);
/**
 * The application has put its own handler in our place: take the signal back and pass foreign
 * signals on to it. Context: any. Returns 1 if that happened, 0 if there was no need.
 */
int tick_reinstall(void);
/**
 * Leave the signal to whom has it now and use another one: its handler is in when this returns. The
 * timers are to be made anew. Context: any. Errors: 0, -errno: all is as before.
 */
int tick_take(struct tick *t, int signal);
/** After tick_stop(): the handler works again, with what `t` is now. The timers may need a kick. */
void tick_go_on(struct tick *t);
/** Signals that still come are swallowed from now on; the timers can go once tick_is_quiet(). */
void tick_stop(void);
/**
 * No handler is running: none uses a slot any more after tick_stop(), nor what had been taken out
 * of a slot before the question.
 */
bool tick_is_quiet(void);
/** After the timers have gone: put the application's handlers back. */
void tick_uninstall(void);
/** Whether the handler of `signal` is ours: no other one is in its place. Context: any. */
bool tick_holds(int signal);

struct tick_counts tick_counts(const struct tick *t);
