/*
 * beat.h - once in each second the engines that want it have their turn.
 *
 * For what an engine cannot do where it measures: a pause of the VM, a thread that holds a lock.
 * One thread for all, which is there from the first engine that wants it to the end of the last
 * recording. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;

/** From now on, if an engine at work has a beat(); a thread that cannot be started is said.
 * Context: java, the agent's lock not held. */
void beat_begin(struct agent *a, JNIEnv *env);
/** Nobody has a turn any more once the agent's lock has been held after this. Context: any. */
void beat_end(void);
