/*
 * timer.h - what raises SIGPROF on a thread as its CPU time passes.
 *
 * Each source is one file timer_NAME.c with one const row; the list in meson.build is the registry
 * and the order of preference. Signals go to the thread itself. Figures: docs/sampling.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "safe/tick.h"

struct timer_source {
    const char *name; /* as the option engine= says it */
    const char *help;
    /** Whether this source works here: 0, or -errno. Context: any. */
    int (*probe)(void);
    /**
     * Start a timer on slot->tid (any thread of this process): first after `first_ns` of its CPU
     * time, then each slot->interval_ns. Sets the slot's clock and timer fields. Errors: 0, -errno;
     * the slot is as before. Context: any.
     */
    int (*arm)(struct tick *t, struct tick_slot *slot, uint64_t first_ns);
    /** The same where tick.kernel_page asks for kernel frames. NULL: it has none. Context: any. */
    int (*probe_kernel)(void);
    /** Stop it. The thread may be gone already. Context: any. */
    void (*disarm)(struct tick *t, struct tick_slot *slot);
    /**
     * Get a timer going that stands still because its signal was lost; the time that it missed is
     * part of the next weight. Context: any.
     */
    void (*restart)(struct tick_slot *slot);
};

extern const struct timer_source *const timer_all[];

/** Whether there is one of that name, or "" is given. */
int timer_exists(const char *name);
/** The source of that name ("" = the first that works), or NULL. */
const struct timer_source *timer_choose(const char *name);

/** The CPU clock of any thread of this process. */
int timer_thread_clock(int tid);
/**
 * Say when the first sample is due on the thread's own clock, where every weight is counted;
 * signals that come up to `leeway_ns` earlier count. Errors: 0, -errno: the thread is gone.
 */
int timer_set_due(struct tick_slot *slot, uint64_t first_ns, uint64_t leeway_ns);
/** arm, disarm and restart of a POSIX timer on `clock`, shared by the sources that use one. */
int timer_posix_arm(struct tick_slot *slot, int clock, uint64_t first_ns);
void timer_posix_disarm(struct tick *t, struct tick_slot *slot);
void timer_posix_restart(struct tick_slot *slot);
