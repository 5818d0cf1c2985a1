/*
 * cpu_loop.h - the thread that empties the ring of cpu=samples, ten times a second or when it is a
 * quarter full, looks for new threads, and sees to it that the signal stays ours.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

/** `argument`: the struct cpu_sampler. Runs until its `stop`, and rings `stopped`. Context: java,
 * no lock. */
void JNICALL cpu_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument);
