/*
 * snapshot_live.h - a snapshot of a process whose threads stand still while it is taken.
 *
 * The stop is as short as it can be: a snapshot_take() of the running process before leaves the
 * pages that are needed in the cache of `live`; they are read again when all threads stand, all at
 * once, and the stacks are walked in the copy. Context: as snapshot.h; the thread that stops is the
 * one that lets go. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "snapshot/snapshot.h"

struct mem_live;

/**
 * `s` was opened on the image of `live`. Sets s->stopped_ns, also after an error: how long the
 * threads stood.
 *
 * Errors: 0; as snapshot_take(). *ret_stop_error: 0, or why the threads did not stop, as
 *         mem_stop_all() has it; then nothing was taken and 0 is returned.
 */
int snapshot_live_take(struct snapshot *s, struct mem_live *live, enum snapshot_depth depth,
                       uint32_t frames_max, int *ret_stop_error);
