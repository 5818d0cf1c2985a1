/*
 * verify_inject.h - adds calls of the tracker to a share of the program's methods.
 *
 * It has a JVM TI environment of its own for its events. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;

/**
 * Define the tracker and inject its calls into all loaded classes, and into each class that is
 * loaded later.
 *
 * `percent` of the methods are chosen by a hash of their names, so the choice is the same in every
 * run. Methods with exception handlers are always injected: their handlers tell the shadow stack
 * which calls an exception has ended.
 * Errors: 0, negative after a message. Context: java, agent's lock not needed.
 */
int verify_inject_start(struct agent *a, JNIEnv *env, unsigned percent);
void verify_inject_stop(void);
