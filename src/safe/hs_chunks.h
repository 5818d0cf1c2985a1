/*
 * hs_chunks.h - the frames of a virtual thread that are in the heap: a chain of StackChunk objects.
 *
 * When a virtual thread goes on, only its innermost frames are copied back to the stack. The last
 * of these frames returns into the return barrier; until then, its callers stay in the heap. Frames
 * in a chunk look like frames on a stack, but interpreted frames are linked by distances in words.
 * (Other forms of chunks, gc mode and bitmap, are about references and do not concern a walk.) The
 * newest frame is at `sp` of the first chunk, the frames end at `bottom`, and `parent` leads to the
 * next chunk. The last frame of all returns to the entry of the continuation. hs_frame_step() takes
 * the cursor through all this.
 *
 * A signal handler reads the ContinuationEntry on the thread's own stack, which names the
 * Continuation. Of the Continuation it reads the class and the reference to the first chunk; of
 * each chunk the class, four fields and the frames. Loads are guarded: memory that is gone is a
 * result, not a fault.
 *
 * Why the walk can believe what it reads:
 * - Only the thread itself changes its chunks: when it comes back to a frame, or when it is
 *   unmounted. The thread stands in our handler, possibly in the middle of such a change; then the
 *   stack has frames that the chunk also has, or will have. Therefore no chunk is read in these
 *   cases:
 *   1. below Continuation.doYield and Object.wait, and in a walk whose start had to be searched
 *      for;
 *   2. when the thread may be in the middle of being unmounted (since JDK 24 in any call of the
 *      VM), unless the chunk's newest frame is a call of a Java method and is not the thread's
 *      anchor;
 *   3. if the chunk's newest frame is the frame with which the walk began, or if any frame belongs
 *      to a native method.
 *   The VM writes the pc of the newest frame into the chunk last of all. This pc must be equal to
 *   the return address that lies below the newest frame.
 * - A collector may move the objects. While the thread runs Java code or code of the VM, a
 *   collector that stops the program cannot work. In other states no safepoint may be in progress,
 *   begin or end during the walk. A collector that works while the program runs is asked where the
 *   objects are now (hs_refs.h). At the end of each chunk the reference and the fields are read
 *   again; if a collector has moved the chunk meanwhile, they have changed.
 * - A chain counts only if each step found a legal frame, the last frame of each chunk returns to
 *   the right place, and the last chunk has no parent. A walk may stop earlier only if it has all
 *   frames that it wants; the chunk is then compared as above.
 *
 * If one of these conditions fails, no frame of the chain is shown: the walk goes on at the entry
 * of the continuation, and the frame at the barrier is marked (HS_FRAME_FROZEN) so that the sample
 * can be counted.
 * Source: HotSpot stackChunkOop.hpp, stackChunkFrameStream.inline.hpp, continuationEntry.hpp,
 * continuationFreezeThaw.cpp, javaThread.cpp (oops_do_no_frames); jdk.internal.vm.StackChunk.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_cursor.h"

/**
 * Go into the chunks behind the return barrier, at which the cursor stands. Returns 1; or 0: the
 * cursor stays at the barrier. For 0 the frame at the barrier is marked, except if the chunks have
 * no frames and c->frozen.caller_is_unsure expects that.
 */
int hs_chunks_begin(struct hs_cursor *c);

/**
 * Go to the newest frame of the chain that begins with `chunk`. `from` is the address of the
 * reference to `chunk`; 0: there is no reference to compare later. The function sets
 * c->frozen.in_chunk; the caller has set c->frozen.facts. Returns 1; 0 if the chain has no frames;
 * -1 if what was read cannot be a chain of chunks.
 */
int hs_chunks_enter(struct hs_cursor *c, uint64_t from, uint64_t chunk);

/** Whether all frames of the chunk were passed. The cursor must be in a chunk. */
bool hs_chunks_is_at_end(const struct hs_cursor *c);

/** Whether a chunk of a mounted thread may hold the frame that was just passed. Always true if
 * there is no thread. The cursor must be in a chunk. */
bool hs_chunks_may_have(const struct hs_cursor *c);

/** Go from the end of a chunk to the next chunk, or back to the stack. Returns HS_STEP_END if there
 * is no thread. */
enum hs_step hs_chunks_leave(struct hs_cursor *c);

/** Give up the chain: forget the frames since the barrier, mark the frame at the barrier, and go on
 * at the entry of the continuation. */
enum hs_step hs_chunks_cut(struct hs_cursor *c);

/** Whether a walk may stop with the frames that it has: the cursor is outside of chunks, or in a
 * chunk that has not changed. */
bool hs_chunks_may_stop(const struct hs_cursor *c);

/** Give the cursor the limits of the thread's stack again, if the cursor is in a chunk. */
void hs_chunks_forget(struct hs_cursor *c);
