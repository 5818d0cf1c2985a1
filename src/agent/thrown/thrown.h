/*
 * thrown.h - who wants to know of exceptions is told: of those that are made, or of each throw.
 *
 * What is made is told of by injected calls in the constructors of Throwable, which can come and
 * go at any time. Each throw is the VM's own event, which can be had at the start of the VM only
 * and makes throws dear for the VM's whole life. docs/exceptions.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include "agent/gate.h"

struct agent;

/** Static. */
struct thrown_user {
    bool is_of_throws; /* it wants throws, not what is made */
    /** `skip`: frames on top of the stack that are not the program's. Context: java, on the thread
     * that makes or throws `object`. */
    void (*see)(JNIEnv *env, jobject object, int skip);
    struct gate gate; /* thrown.c's: through it see() is called */
};

/** The user is told from now on; injected calls come with injector_apply(). Errors: 0,
 * E_UNSUPPORTED, E_LIMIT. Context: java; one at a time. */
int thrown_add(struct agent *a, JNIEnv *env, struct thrown_user *u);
/** The user is told no more, once thrown_settle() has said so. */
void thrown_remove(struct thrown_user *u);
/** After thrown_remove(): whether no see() of this user is under way any more. Context: java, not
 * from see(). */
bool thrown_settle(struct thrown_user *u);
