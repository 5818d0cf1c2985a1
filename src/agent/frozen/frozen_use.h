/*
 * frozen_use.h - the interface of an engine that works on a frozen heap.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/** The work on a frozen heap. `self` is frozen.self. Functions that return int return a negative
 * number on failure. */
struct frozen_use {
    const char *what;    /* the result, for messages, for example "heap dump" */
    const char *is_lost; /* what a message says if the child has failed */
    uint32_t pause_ns;   /* about the ns that in_pause() takes for each object */
    uint32_t stand_ns;   /* about the ns that work() takes for each object */
    /** Take the threads, and everything else that only the VM knows. The classes are listed, and
     * the program runs. Context: java, lock held. */
    int (*prepare)(void *self, JNIEnv *env);
    /** Called before the pause, if the program will stand still while the child works: then no
     * thread of the agent does anything for the child. Lock held. May be NULL. */
    int (*stand)(void *self);
    /** Called right before the fork, when classes.mirrors are known. Context: gc. May be NULL. */
    void (*locate)(void *self);
    /** Called when there is a child and the program runs again. Lock held. May be NULL. */
    void (*forked)(void *self);
    /** Do the work in the child, without malloc(), stdio and JNI. */
    int (*work)(void *self, const char **ret_why);
    /** There is no child because of `why`: do the work by JVM TI inside the pause. Context: java,
     * lock held; the function may give the lock back and take it again. */
    int (*in_pause)(void *self, JNIEnv *env, const char *why);
    /** There is no child, and the pause would be too long: give back what prepare() has taken. Lock
     * held. May be NULL. */
    void (*refused)(void *self);
    /** Called while the child runs: a number that grows as long as there is progress outside the
     * child's own counts. Lock held. May be NULL. */
    uint64_t (*look)(void *self);
    /** Called while the child runs: the reason why its work is not wanted any more; NULL: it is
     * still wanted. Lock held. May be NULL. */
    const char *(*unwanted)(void *self);
    /** The child has ended. Lock held. */
    void (*ended)(void *self, bool is_complete);
};
