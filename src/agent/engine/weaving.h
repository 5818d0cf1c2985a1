/*
 * weaving.h - adds probes to the loaded classes of a running program, and removes them.
 *
 * Up to JDK 11 a thread of the agent changes a few classes at a time and rests in between, so that
 * the program has most of the time (vm/injector_later.h). Later VMs change all classes at once. The
 * thread that begins or ends a recording waits for a while. If there are few classes, all are
 * changed by then; otherwise the rest follows later.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct agent;

enum weaving_how {
    WEAVING_AT_ONCE, /* all at once: the program has not begun */
    WEAVING_AWAITED, /* wait some seconds, or until the classes that must change are done; one
                        waiter at a time */
    WEAVING_ASIDE,   /* do not wait */
};

/**
 * Users of the injector have been added or removed: change the classes. Context: java; the agent's
 * lock is not held.
 */
void weaving_apply(struct agent *a, JNIEnv *env, enum weaving_how how);
/**
 * weaving_apply() in two steps, for a caller that has other work in between. The first step reads
 * the options of the users. It returns whether the second step is to follow: not if all classes
 * have been changed at once, or if nothing is to be changed. Context: as weaving_apply().
 */
bool weaving_plan(JNIEnv *env);
void weaving_carry_out(struct agent *a, JNIEnv *env, enum weaving_how how);
/** How many loaded classes still wait for their probes, or for their own code. Context: any. */
uint32_t weaving_left(void);
