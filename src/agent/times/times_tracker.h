/*
 * times_tracker.h - the tracker of cpu=times in the VM: its class, made by times_class.h, and the
 * native methods of this class.
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

/** The settings that the tracker's code is made for. */
struct times_tracker_how {
    enum times_clock clock;
    int release; /* of the JDK */
    bool has_totals;
    bool is_watched; /* a test compares the results with times_watch.h */
};

/**
 * Define the class, once in the life of the VM. Errors: 0; E_FACT_MISSING, E_UNSUPPORTED, with no
 * exception pending. Context: java.
 */
int times_tracker_define(const struct vm *vm, JNIEnv *env, const struct times_tracker_how *how);
/** The class, as a global reference that stays valid for ever; NULL: not defined. */
jclass times_tracker_class(void);
/** Turn the search for open calls without a frame (times_repair.h) on or off. */
void times_tracker_set_checked(bool is_checked);
/** Put functions of ours in front of native methods that wait, or take them away. Context: java. */
void times_tracker_bind_waits(JNIEnv *env, bool starts);

/** Thread.tid of the thread. Context: java, or the events of a thread's start and end. */
int64_t times_tracker_tid(JNIEnv *env, jthread thread);
/** The block of the calling thread; NULL: it has none. Context: java. */
struct times_block *times_tracker_block(JNIEnv *env);
