/*
 * snapshot_live.h - a snapshot of a process whose threads are stopped while it is taken.
 *
 * The stop is as short as possible, and has a bound. A first look at the running process brings the
 * needed pages into the cache of `live`. When all threads are stopped, these pages are read again
 * in few system calls, those for the VM's own list of threads first. Then the stacks of the threads
 * of the VM's list are walked. The stacks of unmounted virtual threads are walked in the copy, when
 * the process has gone on. If the bound is over earlier, the process goes on at once, and what was
 * not read by then is counted.
 * Context: as snapshot.h; the thread that stops the process must also let it go.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "mem/mem_stop.h"
#include "snapshot/snapshot.h"

struct mem_live;

/** The numbers of what was not read before the process had to go on. */
struct snapshot_left {
    uint32_t threads, thread_count;   /* threads of the VM's list */
    uint32_t virtuals, virtual_count; /* unmounted virtual threads */
    bool has_locks;                   /* some locks are missing, and with them possible deadlocks */
};

/**
 * Look at the running process: call snapshot_take(), after which the needed pages are known. `s`
 * must be opened on the image of `live`. Errors as snapshot_take().
 */
int snapshot_live_look(struct snapshot *s, struct mem_live *live, enum snapshot_depth depth,
                       uint32_t frames_max);

/**
 * Stop the process and take the snapshot; call snapshot_live_look() before. Sets s->stopped_ns to
 * the time for which the threads were stopped, also after an error. Afterwards `bound` says whether
 * the bound was over; only in that case ret_left has numbers other than 0.
 *
 * Errors:  as snapshot_take(). *ret_stop_error is 0, or the error of mem_stop_all(): then nothing
 *          was taken, and 0 is returned.
 */
int snapshot_live_take(struct snapshot *s, struct mem_live *live, enum snapshot_depth depth,
                       uint32_t frames_max, struct mem_stop_bound *bound,
                       struct snapshot_left *ret_left, int *ret_stop_error);
