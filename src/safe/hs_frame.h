/*
 * hs_frame.h - from one Java frame to its caller, for every kind of frame that HotSpot makes.
 *
 * The steps take a cursor (hs_cursor.h) from its place to the caller's. Everything that is
 * CPU-independent about HotSpot's frames lies here; interrupted instructions (the top frame) are
 * hs_top.h's.
 *
 * Reads the thread's own stack inside the view's window, the code cache and metaspace (hs_code.h,
 * hs_method.h), and behind a return barrier the heap (hs_chunks.h). Each step moves the stack
 * pointer up (except into and out of the heap), so a walk ends after at most stack size / 8 steps
 * and one for each word of the chunks.
 * Source: HotSpot frame.cpp, frame_x86.cpp, frame_aarch64.cpp, continuationFreezeThaw.cpp.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_cursor.h"

/**
 * The interpreted frame at `fp`. `bcp`: the live register, or 0 for what the frame says.
 * Appends it and moves to its caller. `checks_size`: sp must be as near as such a frame reaches.
 */
enum hs_step hs_frame_interpreted(struct hs_cursor *c, uint64_t bcp, int checks_size);

/** Appends the frame or frames at the cursor, and moves the cursor to their caller. */
enum hs_step hs_frame_step(struct hs_cursor *c);

/**
 * The same, after steps over as many call sites as hs_calls.h knows, until there are more frames
 * than c->max: for who looks at the cursor only then.
 */
enum hs_step hs_frame_run(struct hs_cursor *c);

/**
 * While the VM replaces a compiled frame by interpreted ones it keeps both in a vframeArray: append
 * its frames and put the cursor at their caller. HS_STEP_FAIL: no deoptimisation is on its way.
 */
enum hs_step hs_frame_at_deopt(struct hs_cursor *c);
