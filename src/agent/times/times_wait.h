/*
 * times_wait.h - which methods of cpu=times wait, so that waits are told apart from work.
 *
 * Some methods only wait, and their own time is the time of the wait. Two native methods,
 * Object.wait and Thread.sleep of JDK 8 to 18, may be called by any code. In their place functions
 * of ours are called, which call the functions of the VM. So each of their calls counts as a call
 * of a method with a number of its own. docs/times.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

struct instrument_method;

/** Functions to call when a native method that waits is entered and left. */
struct times_wait_calls {
    /**
     * Returns what `leave` takes; 0: not counted. *ret_block is passed to `leave` too. Context:
     * java.
     */
    int64_t (*enter)(JNIEnv *env, int32_t number, void **ret_block);
    /** An exception may be pending. */
    void (*leave)(void *block, int64_t place);
};

/** Whether a class (java/lang/Object) has methods that wait. Context: any. */
bool times_wait_has_class(const char *class_name);
/** Whether this is a method that waits, by its class and name. Context: any. */
bool times_wait_has(const struct instrument_method *m);
/** Note that the method with this number waits. Context: any. */
void times_wait_mark(int32_t number);
/** Whether the method with this number waits. Context: any. */
bool times_wait_is_marked(int32_t number);
/**
 * Put functions of ours in front of the native methods. `add` gives a method its number, or -1.
 * Later JDKs have no such native methods. Context: java.
 */
void times_wait_start(JNIEnv *env, const struct times_wait_calls *calls,
                      int32_t (*add)(const struct instrument_method *m));
/** Give the native methods that wait back to the VM. Context: java. */
void times_wait_stop(JNIEnv *env);
