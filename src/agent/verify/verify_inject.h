/*
 * verify_inject.h - a share of the program's methods is given calls of the tracker.
 *
 * Has a JVM TI environment of its own, for its own events. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;

/**
 * Define the tracker and inject: the classes that are loaded by now, and each that will be.
 *
 * `percent` of the methods are chosen by their names, so the same in every run. Methods with
 * exception handlers are always injected: they tell the shadow stack what an exception has ended.
 * Errors: 0, negative after a message. Context: java, agent's lock not needed.
 */
int verify_inject_start(struct agent *a, JNIEnv *env, unsigned percent);
void verify_inject_stop(void);
