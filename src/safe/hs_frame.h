/*
 * hs_frame.h - from one Java frame to its caller, for every kind of frame that HotSpot makes.
 *
 * The steps take a cursor (hs_cursor.h) from its place to the place of the caller. This file has
 * all that is CPU-independent about HotSpot's frames; hs_top.h handles the interrupted instruction
 * (the top frame).
 *
 * The steps read the thread's own stack inside the view's window, the code cache and metaspace
 * (hs_code.h, hs_method.h), and behind a return barrier the heap (hs_chunks.h). Each step moves the
 * stack pointer up, except steps into and out of the heap. A walk therefore ends after at most
 * stack size / 8 steps, plus one step for each word of the chunks.
 * Source: HotSpot frame.cpp, frame_x86.cpp, frame_aarch64.cpp, continuationFreezeThaw.cpp.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_cursor.h"

/**
 * Append the interpreted frame at c->fp and move to its caller. `bcp` is the live register of the
 * bytecode pointer; 0: use the pointer in the frame. `checks_size`: fail if sp is further away from
 * fp than such a frame can reach.
 */
enum hs_step hs_frame_interpreted(struct hs_cursor *c, uint64_t bcp, int checks_size);

/** Append the frame or frames at the cursor, and move the cursor to their caller. */
enum hs_step hs_frame_step(struct hs_cursor *c);

/**
 * Do the same as hs_frame_step(), but first step over as many call sites as hs_calls.h knows, until
 * there are more frames than c->max. For callers that need not look at the cursor between these
 * steps.
 */
enum hs_step hs_frame_run(struct hs_cursor *c);

/**
 * Append the frames of a deoptimisation in flight, and put the cursor at their caller. While the VM
 * replaces a compiled frame by interpreted frames, it keeps them in a vframeArray. HS_STEP_FAIL: no
 * deoptimisation is in flight.
 */
enum hs_step hs_frame_at_deopt(struct hs_cursor *c);
