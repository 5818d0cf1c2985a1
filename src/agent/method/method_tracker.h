/*
 * method_tracker.h - the tracker of method=: its class in the VM, which injected methods call.
 *
 * `enter` finds the number of the current thread by Unsafe and calls the native method `open`;
 * `exit` and `unwound` are native.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "safe/own_class.h"

struct vm;

#define METHOD_TRACKER OWN_CLASS("Calls")

/** The native methods. */
struct method_tracker {
    /** A call begins. `tid`: the number of the thread, negative for a virtual thread. Returns what
     * the two others get; 0: nothing needs the end of the call. */
    jlong(JNICALL *open)(JNIEnv *env, jclass klass, jlong tid, jint at);
    void(JNICALL *exit)(JNIEnv *env, jclass klass, jlong kept);
    void(JNICALL *unwound)(JNIEnv *env, jclass klass, jthrowable thrown, jlong kept);
};

/** Define the class, if that was not done. Errors: 0; negative, with no exception pending. Context:
 * java. */
int method_tracker_define(const struct vm *vm, JNIEnv *env, const struct method_tracker *natives);
