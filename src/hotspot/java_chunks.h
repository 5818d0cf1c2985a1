/*
 * java_chunks.h - the frames of a virtual thread that lie in the heap, copied there when it was
 * unmounted: a chain of jdk.internal.vm.StackChunk objects.
 * How they are read: safe/hs_chunks.h.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct stopped_frame;
struct oops;

/**
 * The frames of `continuation` (jdk.internal.vm.Continuation) that are in the heap, innermost
 * first. Writes at most `max`; returns how many there are, as far as they could be followed.
 * *ret_cut, and is_cut of the last one, are 1 if they could not be followed to the end.
 */
uint32_t java_chunks_frames(struct oops *o, uint64_t continuation, struct stopped_frame *frames,
                            uint32_t max, bool *ret_cut);

/** Read all the memory that java_chunks_frames() reads of `continuation`, and make nothing of it:
 * for a copy, in which the frames are looked for later. What tells of code and methods is not in
 * it. */
void java_chunks_touch(struct oops *o, uint64_t continuation);
