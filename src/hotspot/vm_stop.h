/*
 * vm_stop.h - whether a JVM stands still at a safepoint, or waits for its threads to come to one,
 * at this moment.
 *
 * The VM's counters of stops move when a stop has ended, so one that lasts is not in them. Its
 * state is in a variable of the VM that .symtab alone names; JDK 8, whose libraries often have no
 * .symtab, closes the page that running threads poll, and names that page in its tables.
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
    VM_STOP_WAITING, /* the VM waits until the last running thread stops */
    VM_STOP_STOPPED, /* all threads stand still */
};

/* Where the VM keeps what is asked for. All 0: it is not known. */
struct vm_stop {
    uint64_t state_at;        /* SafepointSynchronize::_state */
    uint64_t begin_at;        /* when the last stop began, nanoseconds of CLOCK_MONOTONIC */
    uint64_t stopped_at;      /* when its threads had stopped; the counters have what was before */
    uint64_t base_at;         /* from when `begin_at` counts; 0: from the clock's own beginning */
    uint64_t polling_page;    /* instead of `state_at` */
    uint64_t seen_ns;         /* the stop that lasts was seen first then; 0: none lasts */
    enum vm_stop_state state; /* at the last vm_stop_read() */
    double lasts_s;           /* how long the stop has lasted; 0: none lasts */
    double uncounted_s;       /* what of that the counters do not have yet */
};

/** Finds the places in the VM that `t` is. */
void vm_stop_init(struct vm_stop *v, const struct target *t);
/** Reads `state` and what is below it, past the cache of `live`. Where the VM does
 * not say when the stop began, it is counted from the first look that saw it. */
void vm_stop_read(struct vm_stop *v, struct mem_live *live);
