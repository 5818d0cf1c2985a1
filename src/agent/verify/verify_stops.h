/*
 * verify_stops.h - the work of the verify run's own thread: GetStackTrace compared with walks.
 *
 * Context of everything here: java, on the agent's thread. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct agent;
struct hs_memory;

/** Set the environment that suspends threads. Context: OnLoad, or java at attach. */
void verify_stops_open(jvmtiEnv *env);
/** The environment that suspends threads. */
jvmtiEnv *verify_stops_env(void);
/** Compare the own frames of a virtual thread that is suspended on its carrier. */
void verify_stops_mounted(struct agent *a, jthread thread, uint64_t carrier);
void verify_stops_prepare(struct agent *a, JNIEnv *env, const struct hs_memory *memory);
/** Suspend each thread once, and compare GetStackTrace with a walk from the anchor. */
void verify_stops_round(struct agent *a, JNIEnv *env);
/** Compare a sample of one thread with GetStackTrace right after it. */
void verify_stops_after_sample(struct agent *a, JNIEnv *env);
