/*
 * timer.h - timer sources: what raises a signal (tick.signal) on a thread as its CPU time passes.
 *
 * Each source is one file timer_NAME.c with one const row. The list in meson.build is the registry
 * and the order of preference. Signals go to the thread itself. See docs/timers.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/quality.h"
#include "safe/tick.h"

struct timer_source {
    const char *name;     /* the name in the option timer= */
    enum quality quality; /* the count of the threads that have such a timer */
    const char *help;
    bool has_realtime; /* can raise real-time signals */
    bool is_early;     /* on the thread's clock its signals may come too early */
    /** Whether this source works here: 0, or -errno. Context: any. */
    int (*probe)(void);
    /**
     * Start a timer for slot->tid (any thread of this process): the first signal after `first_ns`
     * of its CPU time, then one after each slot->interval_ns. Sets the slot's timer.
     * Errors: 0; -errno: the slot has not changed. Context: any.
     */
    int (*arm)(struct tick *t, struct tick_slot *slot, uint64_t first_ns);
    /**
     * Whether the source works with kernel frames, which tick.kernel_page asks for. NULL: it has
     * none. Context: any.
     */
    int (*probe_kernel)(void);
    /**
     * Stop the timer. Context: the caller is the thread itself, or the thread is gone, or no
     * handler runs.
     */
    void (*disarm)(struct tick *t, struct tick_slot *slot);
    /**
     * Stop the timer while the thread goes on.
     * Errors: 0; -EBUSY: its handler may be running, and nothing has changed. Context: any.
     */
    int (*release)(struct tick *t, struct tick_slot *slot);
    /**
     * Start a timer again that stands still because its signal was lost. The missed time is part of
     * the next weight. Context: any.
     */
    void (*restart)(struct tick_slot *slot);
};

extern const struct timer_source *const timer_all[];

/** The source of that name ("": the first that works and can raise `signal`), or NULL. */
const struct timer_source *timer_choose(const char *name, int signal);

/**
 * Start sampling: set the slot's clock, on which every weight is counted, so that the first sample
 * is due after `first_ns` of CPU time, and start the timer.
 * Errors: as of arm; the thread is gone.
 */
int timer_start(const struct timer_source *source, struct tick *t, struct tick_slot *slot,
                uint64_t first_ns);
/**
 * probe, arm, disarm, release and restart of a POSIX timer on `clock`, shared by the sources that
 * use POSIX timers.
 */
int timer_posix_probe(int clock);
int timer_posix_arm(struct tick *t, struct tick_slot *slot, int clock, uint64_t first_ns);
void timer_posix_disarm(struct tick *t, struct tick_slot *slot);
int timer_posix_release(struct tick *t, struct tick_slot *slot);
void timer_posix_restart(struct tick_slot *slot);
