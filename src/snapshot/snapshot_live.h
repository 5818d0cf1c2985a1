/*
 * snapshot_live.h - a snapshot of a process whose threads stand still while it is taken.
 *
 * The stop is as short as it can be, and has a bound. A first look at the running process leaves
 * the pages that are needed in the cache of `live`. They are read again when all threads stand, all
 * at once, those of the VM's own list of threads first; the stacks of these are walked then, and
 * those of virtual threads that are not mounted when the process goes on, in the copy. Where the
 * bound is over before, the process goes on at once, and what was not read by then is counted.
 * Context: as snapshot.h; the thread that stops is the one that lets go.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "mem/stop_bound.h"
#include "snapshot/snapshot.h"

struct mem_live;

/** What was not read before the process had to go on. */
struct snapshot_left {
    uint32_t threads, thread_count;   /* of the VM's list */
    uint32_t virtuals, virtual_count; /* virtual threads that are not mounted */
    bool has_locks;                   /* some of the locks, so of the deadlocks */
};

/**
 * Look at the running process: snapshot_take(), after which the pages are known.
 * `s` was opened on the image of `live`. Errors: as snapshot_take().
 */
int snapshot_live_look(struct snapshot *s, struct mem_live *live, enum snapshot_depth depth,
                       uint32_t frames_max);

/**
 * Stop it and take the snapshot, after snapshot_live_look(). Sets s->stopped_ns, also after an
 * error: how long the threads stood. `bound` says afterwards whether it was over; then, and only
 * then, ret_left has numbers other than 0.
 *
 * Errors: 0; as snapshot_take(). *ret_stop_error: 0, or why the threads did not stop, as
 *         mem_stop_all() has it; then nothing was taken and 0 is returned.
 */
int snapshot_live_take(struct snapshot *s, struct mem_live *live, enum snapshot_depth depth,
                       uint32_t frames_max, struct stop_bound *bound,
                       struct snapshot_left *ret_left, int *ret_stop_error);
