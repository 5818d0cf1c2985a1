/*
 * verify_stops.h - what an ordinary thread of a verify run does: GetStackTrace against walks.
 *
 * Context of everything here: java, on the agent's thread. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct agent;
struct hs_memory;

/** `env` is the environment that stops threads. Context: OnLoad, or java at attach. */
void verify_stops_open(jvmtiEnv *env);
/** That environment. */
jvmtiEnv *verify_stops_env(void);
/** A virtual thread that is suspended on its carrier: compare its own frames. */
void verify_stops_mounted(struct agent *a, jthread thread, uint64_t carrier);
void verify_stops_prepare(struct agent *a, JNIEnv *env, const struct hs_memory *memory);
/** Each thread once: stop it, compare GetStackTrace with a walk from the anchor. */
void verify_stops_round(struct agent *a, JNIEnv *env);
/** A sample of one thread, and GetStackTrace right after it. */
void verify_stops_after_sample(struct agent *a, JNIEnv *env);
