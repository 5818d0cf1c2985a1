/*
 * verify_virtual.h - layer b for virtual threads while a carrier runs them (JDK 21 and later).
 *
 * GetAllThreads does not list virtual threads. So weak references to those that started last are
 * kept.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct hs_layout;

/**
 * From now on note virtual threads that start; does nothing in a JDK without virtual threads.
 * Context: java.
 */
void verify_virtual_start(struct agent *a, JNIEnv *env);
/**
 * Suspend each kept virtual thread, and compare its frames if it is mounted. Context: java, the
 * agent's thread.
 */
void verify_virtual_round(struct agent *a, JNIEnv *env);
