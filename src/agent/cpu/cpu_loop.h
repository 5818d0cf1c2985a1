/*
 * cpu_loop.h - the sampling thread of cpu=samples.
 *
 * The thread empties the ring ten times a second, or when the ring is a quarter full. It looks for
 * new threads, and makes sure that the agent's handler keeps the signal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

/** The function of the thread; `argument` is the struct cpu_sampler. Runs until the sampler's
 * `stop` is set, and rings `stopped` at the end. Context: java, no lock. */
void JNICALL cpu_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument);
