/*
 * tracker.h - a class of our own in java.lang, which injected methods call.
 *
 * docs/injection.md says why the class is in java.lang and why it is defined by DefineClass.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

struct vm;

struct tracker {
    const char *name;               /* OWN_CLASS(): a class with another name is not defined */
    const JNINativeMethod *natives; /* the functions of its native methods */
    int native_count;
    /** Binds native methods of other classes at a moment when this gives no warning on the
     * program's standard output. Returns whether they were bound. NULL: there are none. */
    bool (*bind_others)(JNIEnv *env);
    bool is_defined; /* tracker_define_natives() has defined it, for the life of the VM */
};

/** For the native method "caught" of a probe to which an exception that leaves a method means
 * nothing: the call has no end then. */
void JNICALL tracker_caught_nothing(JNIEnv *env, jclass klass, jlong kept);

/**
 * Define the class from the bytes of its class file, bind its native methods, run its initializer.
 *
 * Errors:  0, or -1 with no exception pending. One call at a time.
 * Context: java; no lock is needed.
 * Owner:   `t` must live as long as the VM.
 */
int tracker_define(const struct vm *vm, JNIEnv *env, const struct tracker *t, const void *bytes,
                   size_t len);
/** Do the same as tracker_define() for a class that has only native methods: tracker.c writes its
 * class file. If the class is defined already, nothing happens. */
int tracker_define_natives(const struct vm *vm, JNIEnv *env, struct tracker *t);
