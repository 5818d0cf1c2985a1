/*
 * frozen_use.h - what somebody does with a frozen heap: the interface of who freezes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/** What is done with a frozen heap. `self` is frozen.self; results are negative on failure. */
struct frozen_use {
    const char *what;    /* it makes, as messages say it: "heap dump" */
    const char *is_lost; /* what a message says when the child has failed */
    uint32_t pause_ns;   /* of in_pause(), for an object, about */
    /** The classes are listed, the program runs: take the threads, and whatever else only the VM
     * knows. Context: java, lock held. */
    int (*prepare)(void *self, JNIEnv *env);
    /** Right before the fork: classes.mirrors are known. Context: gc. May be NULL. */
    void (*locate)(void *self);
    /** There is a child, and the program runs. Lock held. May be NULL. */
    void (*forked)(void *self);
    /** In the child: no malloc(), no stdio, no JNI. */
    int (*work)(void *self, const char **ret_why);
    /** No child, for that reason: do it by JVM TI inside the pause. Context: java, lock held; it
     * may be let go of in between. */
    int (*in_pause)(void *self, JNIEnv *env, const char *why);
    /** No child, and the pause would be too long: give back what prepare() has taken. Lock held.
     * May be NULL. */
    void (*refused)(void *self);
    /** While the child runs: a number that grows as long as it goes on, beside its own. Lock held.
     * May be NULL. */
    uint64_t (*look)(void *self);
    /** While the child runs: why nobody wants its work any more; NULL: somebody does. Lock held.
     * May be NULL. */
    const char *(*unwanted)(void *self);
    /** The child has ended. Lock held. */
    void (*ended)(void *self, bool is_complete);
};
