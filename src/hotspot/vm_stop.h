/*
 * vm_stop.h - whether a JVM is stopped at a safepoint at this moment, or waits for its threads to
 * stop.
 *
 * The VM's counters of stops change when a stop has ended, so a stop that still lasts is not in
 * them. A variable of the VM has the present state; only .symtab has the name of this variable. The
 * libraries of JDK 8 often have no .symtab; but JDK 8 closes the page that running threads poll,
 * and names that page in its tables.
 * Source: HotSpot safepoint.cpp (SafepointSynchronize, SafepointTracing), os_posix.cpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "mem/mem_live.h"

struct target;

enum vm_stop_state {
    VM_STOP_UNKNOWN = -1,
    VM_STOP_NONE,    /* the program runs */
    VM_STOP_WAITING, /* the VM waits until the last running thread has stopped */
    VM_STOP_STOPPED, /* all threads are stopped */
};

/* The addresses of the state and the times in the VM (0: not known), and what was read there. */
struct vm_stop {
    uint64_t state_at;        /* SafepointSynchronize::_state */
    uint64_t begin_at;        /* when the last stop began, in ns of CLOCK_MONOTONIC */
    uint64_t stopped_at;      /* when its threads had stopped; the counters have the time before */
    uint64_t base_at;         /* `begin_at` counts from here; 0: from the begin of the clock */
    uint64_t polling_page;    /* used if `state_at` is not known */
    uint64_t seen_ns;         /* when the present stop was first seen; 0: no stop lasts */
    uint64_t count;           /* of stops that had begun then */
    enum vm_stop_state state; /* at the last vm_stop_read() */
    double lasts_s;           /* how long the present stop has lasted; 0: no stop lasts */
    double uncounted_s;       /* the part of it that the counters do not have yet */
};

/** Find these places in the VM of `t`. */
void vm_stop_init(struct vm_stop *v, const struct target *t);
/**
 * Read `state` and the fields below it, not from the cache of `live`. If the VM does not say when
 * the stop began, its time is counted from the first read that saw the stop. `count` is how many
 * stops have begun by the VM's counters, read just before: two reads may see two stops, and the
 * program may have run in between.
 */
void vm_stop_read(struct vm_stop *v, struct mem_live *live, uint64_t count);
