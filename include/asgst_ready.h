/*
 * asgst_ready.h - what libasgst.so says of its own state.
 *
 * A program may include this header together with asgst.h or together with asgst_classic.h. The
 * interfaces of the articles have no such question, because the VM of the articles answers from the
 * beginning.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** `num_frames` of AsyncGetStackTrace() and ASGST_AsyncGetCallTrace() until walks work. The number
 * is the same as ASGST_NOT_READY of asgst.h. */
#define ASGST_NUM_FRAMES_NOT_READY (-17)

/**
 * Wait until walks work, at most `timeout_ms`. 0: only look; negative: wait without a limit.
 *
 * Returns 1: walks work; 0: walks do not work yet; -1: the library does not know this build of the
 * VM, so walks will never work. From JVM TI's VMInit on walks work at once. Before VMInit, in
 * Agent_OnLoad, waiting is in vain.
 * Context: any, not signal.
 */
int ASGST_WaitUntilReady(int timeout_ms);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
