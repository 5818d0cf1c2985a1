/*
 * java_chunks.h - the frames of a virtual thread that lie in the heap, where the VM copied them
 * when it unmounted the thread: a chain of jdk.internal.vm.StackChunk objects.
 * safe/hs_chunks.h says how they are read.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct stopped_frame;
struct oops;

/**
 * Read the frames of `continuation` (jdk.internal.vm.Continuation) that are in the heap, innermost
 * first. Writes at most `max` frames; returns how many there are, as far as they could be followed.
 * If they could not be followed to the end, *ret_cut is true, and is_cut of the last frame, too.
 */
uint32_t java_chunks_frames(struct oops *o, uint64_t continuation, struct stopped_frame *frames,
                            uint32_t max, bool *ret_cut);

/** Read all the memory that java_chunks_frames() reads of `continuation`, without a result. This
 * puts the memory into a copy, in which the frames are looked for later. The memory of code and
 * methods is not read. */
void java_chunks_touch(struct oops *o, uint64_t continuation);
