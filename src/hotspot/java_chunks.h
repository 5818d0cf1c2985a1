/*
 * java_chunks.h - the frames of a virtual thread that lie in the heap, copied there when it was
 * unmounted: a chain of jdk.internal.vm.StackChunk objects.
 *
 * In a chunk frames look as on a stack, but those of the interpreter refer to each other by
 * distances. The newest frame is in the first chunk, at `sp`; below it, towards the thread's first
 * frame, the chunk ends at `bottom` and the next one (`parent`) goes on.
 * Source: HotSpot stackChunkOop.hpp, stackChunkFrameStream.inline.hpp, instanceStackChunkKlass.hpp,
 * continuationFreezeThaw.cpp; jdk.internal.vm.StackChunk.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct mixed_frame;
struct oops;

/**
 * The frames of `continuation` (jdk.internal.vm.Continuation) that are in the heap, innermost
 * first. Writes at most `max`; returns how many there are, as far as they could be followed.
 * *ret_cut, and is_cut of the last one, are 1 if they could not be followed to the end.
 */
uint32_t java_chunks_frames(struct oops *o, uint64_t continuation, struct mixed_frame *frames,
                            uint32_t max, int *ret_cut);
