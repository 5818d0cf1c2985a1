/*
 * thrown.h - reports exceptions to users: either those that are made, or each throw.
 *
 * Exceptions that are made are reported by calls injected into the constructors of Throwable; these
 * calls can be added and removed at any time. Throws are reported by an event of the VM. This event
 * can be had only when the VM starts, and it makes throws expensive as long as the VM lives.
 * docs/exceptions.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include "base/gate.h"

struct agent;

/** A user; its struct must be static. */
struct thrown_user {
    bool is_of_throws; /* reports throws; otherwise exceptions that are made */
    /**
     * `skip`: how many innermost frames are not the program's. Context: java, on the thread that
     * makes or throws `object`.
     */
    void (*see)(JNIEnv *env, jobject object, int skip);
    /* All zero; used by thrown.c: see() is called inside this gate. It is not in here, so that its
     * 4 KB of zeros are not in the file of the agent. */
    struct gate *gate;
};

/**
 * Add a user; injected calls come with injector_apply(). Errors: 0, E_UNSUPPORTED, E_LIMIT.
 * Context: java; one call at a time.
 */
int thrown_add(struct agent *a, JNIEnv *env, struct thrown_user *u);
/** Remove a user. see() may still run until thrown_settle() returns true. */
void thrown_remove(struct thrown_user *u);
/**
 * After thrown_remove(): whether no see() of this user runs any more. Context: java, not from
 * see().
 */
bool thrown_settle(struct thrown_user *u);
