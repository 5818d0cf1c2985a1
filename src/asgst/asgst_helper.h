/*
 * asgst_helper.h - the one thread of this library.
 *
 * It waits for the VM, runs queue handlers, watches for unloaded classes, and keeps the map of
 * loaded libraries fresh. It takes no signals and is not attached to the VM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Start it if it does not run. 0, -errno. Context: any, not signal. */
int asgst_helper_start(void);

/** Something waits in a queue. Context: signal. */
void asgst_helper_wake(void);

/** Before user code is called: at exit() the thread stops first, while that code is still there.
 * Context: any, not signal. */
void asgst_helper_will_call(void);

/** 1 on the thread itself. Context: signal. */
bool asgst_helper_is_self(void);
