/*
 * hs_chunks.h - the frames of a virtual thread that are in the heap: a chain of StackChunk objects.
 *
 * A virtual thread that goes on gets only its innermost frames back on the stack; the last of them
 * returns into the return barrier, and its callers stay in the heap until then. In a chunk frames
 * look as on a stack, but what links interpreted ones is a distance in words (the rest of a chunk's
 * forms, gc mode and bitmap, is about references and does not concern a walk). The newest frame is
 * at `sp` of the first chunk, the frames end at `bottom`, and `parent` goes on; the last frame
 * returns to the entry of the continuation. hs_frame_step() takes the cursor through all this.
 *
 * What is read in a signal handler: the ContinuationEntry, on the thread's own stack, which names
 * the Continuation; of that object its class and its reference to the first chunk; of each chunk
 * its class, four fields and the frames. Loads are guarded, so memory that is gone is a result.
 * Why what is read is right:
 * - Only the thread itself changes its chunks, when it comes back to a frame or is unmounted, and
 *   it stands in our handler. It may stand in the middle of that: then the stack has frames that
 *   the chunk has, too, or will have. So no chunk is read
 *   . below Continuation.doYield and Object.wait, nor in a walk whose start had to be searched for;
 *   . where the thread may be unmounted (since JDK 24 in any call of the VM), unless the chunk's
 *     newest frame is a call of a Java method, and not the thread's anchor;
 *   . if that frame is the one that the walk began with, or any frame is a native method's.
 *   The VM writes the newest frame's pc into the chunk last of all: it must be the one that lies
 *   below the frame.
 * - A collector may move the objects. While the thread runs Java code or the VM's, collectors that
 *   stop the program cannot work; otherwise no safepoint may be, begin or end during the walk. The
 *   others are asked where the objects are now (hs_refs.h). At the end of each chunk the reference
 *   and the fields are read again: a collector that moved it meanwhile has changed them.
 * - A chain counts if each step found a legal frame, each chunk's last frame returns where such
 *   frames do, and the last chunk has no parent. Only a walk that has all frames that it wants
 *   stops before; what it has is compared as above.
 * Else none of the chain's frames is shown: the walk goes on at the entry, and the frame at the
 * barrier is marked (HS_FRAME_FROZEN), so that the sample can be counted.
 * Source: HotSpot stackChunkOop.hpp, stackChunkFrameStream.inline.hpp, continuationEntry.hpp,
 * continuationFreezeThaw.cpp, javaThread.cpp (oops_do_no_frames); jdk.internal.vm.StackChunk.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_cursor.h"

/**
 * The cursor stands at the return barrier: go into the chunks behind it. 1, or 0: stay; the frame
 * is marked, unless the chunks have no frames and c->frozen.caller_is_unsure expects that.
 */
int hs_chunks_begin(struct hs_cursor *c);

/**
 * Go to the newest frame of a chain that begins with `chunk`. `from` is the address of the
 * reference to it, 0 if there is nothing to compare. Sets c->frozen.in_chunk. The caller has set
 * c->frozen.facts. 1; 0 the chain has no frames; -1 it makes no sense.
 */
int hs_chunks_enter(struct hs_cursor *c, uint64_t from, uint64_t chunk);

/** Whether all frames of the chunk were passed. For a cursor in a chunk. */
bool hs_chunks_is_at_end(const struct hs_cursor *c);

/** Whether the frame just passed may be a mounted thread's, or there is no thread. For a cursor in
 * a chunk. */
bool hs_chunks_may_have(const struct hs_cursor *c);

/** From the end of a chunk the cursor goes to the next chunk, or back to the stack. HS_STEP_END
 * where there is no thread. */
enum hs_step hs_chunks_leave(struct hs_cursor *c);

/** Give up: forget the frames since the barrier, and mark the frame at the barrier. */
enum hs_step hs_chunks_cut(struct hs_cursor *c);

/** Whether a walk may stop with the frames that it has: outside of chunks, or in a chunk that is as
 * it was. */
bool hs_chunks_may_stop(const struct hs_cursor *c);

/** The limits of the stack are the cursor's again, wherever the cursor is. */
void hs_chunks_forget(struct hs_cursor *c);
