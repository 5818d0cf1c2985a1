/*
 * weaving.h - the loaded classes of a program that runs get their probes, and lose them, while it
 * works.
 *
 * Up to JDK 11 a thread of the agent changes a few classes at a time and rests in between, so that
 * the program has most of the time (vm/injector_later.h); later VMs change all at once. Who begins
 * or ends a recording waits for a while: where there are few classes all are changed by then, else
 * the others follow. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct agent;

enum weaving_how {
    WEAVING_AT_ONCE, /* the program has not begun */
    WEAVING_AWAITED, /* by one at a time: for some seconds, or until those are done that must be */
    WEAVING_ASIDE,   /* nobody waits */
};

/** Users of the injector have come or gone. Context: java; the agent's lock is not held. */
void weaving_apply(struct agent *a, JNIEnv *env, enum weaving_how how);
/**
 * The same in two steps, for who has something else to do in between. The users' options are read
 * in the first one. Returns whether the second one is to follow: all has been changed at once if
 * not, or nothing is to be. Context: as above.
 */
bool weaving_plan(JNIEnv *env);
void weaving_carry_out(struct agent *a, JNIEnv *env, enum weaving_how how);
/** Loaded classes that have not got their probes, or their own code back, yet. Context: any. */
uint32_t weaving_left(void);
