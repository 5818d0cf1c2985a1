/*
 * beat.h - calls the engines that want it once in each second, and looks for libraries that publish
 * thread contexts (agent/scope/scope_published.h).
 *
 * An engine uses its beat for work that must not be done where it measures, for example in a pause
 * of the VM or in a thread that holds a lock. One thread serves all engines. It starts with the
 * first engine that wants a beat, or with the first recording that has contexts, and ends with the
 * last recording.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;

/**
 * Start the thread, if it is wanted; and look for publishing libraries at once. If the thread
 * cannot be started, a message says so. Context: java, the agent's lock not held.
 */
void beat_begin(struct agent *a, JNIEnv *env);
/** End the beats. After the agent's lock has been held once more, no beat() runs. Context: any. */
void beat_end(void);
