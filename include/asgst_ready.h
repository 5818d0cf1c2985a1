/*
 * asgst_ready.h - what libasgst.so says of its own state, for programs of either generation of the
 * interface: it may be included beside asgst.h or beside asgst_classic.h.
 *
 * The interfaces of the articles know no such question, for their VM answers from the beginning.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** `num_frames` of AsyncGetStackTrace() and ASGST_AsyncGetCallTrace() before walks work; the same
 * number as ASGST_NOT_READY of asgst.h. */
#define ASGST_NUM_FRAMES_NOT_READY (-17)

/**
 * Wait until walks work, at most `timeout_ms`; 0: only look; negative: without limit.
 *
 * Returns 1: they work; 0: not yet; -1: this build of the VM is not known, they never will. From
 * JVM TI's VMInit on they work at once; before, in Agent_OnLoad, waiting is in vain.
 * Context: any, not signal.
 */
int ASGST_WaitUntilReady(int timeout_ms);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
