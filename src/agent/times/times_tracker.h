/*
 * times_tracker.h - the tracker of cpu=times in the VM: its class, which times_class.h makes, and
 * the native methods of that class.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/times/times_clock.h"

struct times_block;
struct vm;

/** What the tracker's code holds for. */
struct times_tracker_how {
    enum times_clock clock;
    int release; /* of the JDK */
    bool has_totals;
    bool is_watched; /* a test compares with times_watch.h */
};

/**
 * Define the class, once for the life of the VM. Errors: 0; E_FACT_MISSING, E_UNSUPPORTED, with no
 * exception pending. Context: java.
 */
int times_tracker_define(const struct vm *vm, JNIEnv *env, const struct times_tracker_how *how);
/** The class: a global reference, for good; NULL: not defined. */
jclass times_tracker_class(void);
/** Whether calls look for open calls without a frame (times_repair.h) from now on. */
void times_tracker_set_checked(bool is_checked);
/** Functions of ours stand before native methods that wait, or are taken away. Context: java. */
void times_tracker_bind_waits(JNIEnv *env, bool starts);

/** Thread.tid. Context: java, or the events of a thread's life. */
int64_t times_tracker_tid(JNIEnv *env, jthread thread);
/** The calling thread's block; NULL: it has none. Context: java. */
struct times_block *times_tracker_block(JNIEnv *env);
