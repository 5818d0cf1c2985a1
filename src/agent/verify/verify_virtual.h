/*
 * verify_virtual.h - layer b for virtual threads while a carrier runs them (JDK 21 and later).
 *
 * GetAllThreads does not give virtual threads: those that started last are kept, weakly.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct hs_layout;

/** Hear of virtual threads from now on; quietly nothing where there are none. Context: java. */
void verify_virtual_start(struct agent *a, JNIEnv *env);
/** Each one that is kept: stop it, compare if it is mounted. Context: java, the agent's thread. */
void verify_virtual_round(struct agent *a, JNIEnv *env);
