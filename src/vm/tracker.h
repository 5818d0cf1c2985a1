/*
 * tracker.h - a class of our own in java.lang, which injected methods call.
 *
 * Why java.lang, and why by DefineClass: docs/injection.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

struct vm;

struct tracker {
    const char *name;               /* OWN_CLASS(): else it is not defined */
    const JNINativeMethod *natives; /* what its native methods are */
    int native_count;
    /** Where native methods of other classes may be bound, too, without a warning on the program's
     * standard output; NULL: there are none. Returns whether they were. */
    bool (*bind_others)(JNIEnv *env);
    bool is_defined; /* by tracker_define_natives(), for the life of the VM */
};

/**
 * Define the class from the bytes of its file, bind its native methods, run its initializer.
 *
 * Errors: 0, or -1 with no exception pending. One at a time. Context: java, lock not needed.
 * Owner: `t` must live as long as the VM.
 */
int tracker_define(const struct vm *vm, JNIEnv *env, const struct tracker *t, const void *bytes,
                   size_t len);
/** As tracker_define(), for a class that has nothing but its native methods: tracker.c writes its
 * bytes. Nothing where that has been done. */
int tracker_define_natives(const struct vm *vm, JNIEnv *env, struct tracker *t);
