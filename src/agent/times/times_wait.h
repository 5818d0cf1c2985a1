/*
 * times_wait.h - which methods of cpu=times wait, so that waits are told apart from work.
 *
 * Some methods do nothing but wait: their own time is that. Of two native ones that anybody may
 * call, Object.wait and Thread.sleep of JDK 8 to 18, each call is one of a method with a number of
 * its own: they are native functions of ours, which call those of the VM. docs/times.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <jni.h>
#include <stdint.h>

struct instrument_method;

/** What a native method that waits does on entry and exit. */
struct times_wait_calls {
    /** Returns what `leave` takes; 0: not counted. `*ret_block` likewise. Context: java. */
    int64_t (*enter)(JNIEnv *env, int32_t number, void **ret_block);
    /** There may be an exception pending. */
    void (*leave)(void *block, int64_t place);
};

/** Whether a class (java/lang/Object) has methods that wait. Context: any. */
bool times_wait_has_class(const char *class_name);
/** Whether a method of its name does. Context: any. */
bool times_wait_has(const struct instrument_method *m);
/** This number stands for such a method. Context: any. */
void times_wait_mark(int32_t number);
/** Whether it does. Context: any. */
bool times_wait_is_marked(int32_t number);
/**
 * Put functions of ours before the native methods; `add` gives a method its number, or -1. Later
 * JDKs have none of them. Context: java.
 */
void times_wait_start(JNIEnv *env, const struct times_wait_calls *calls,
                      int32_t (*add)(const struct instrument_method *m));
/** The native methods that wait are the VM's own again. Context: java. */
void times_wait_stop(JNIEnv *env);
