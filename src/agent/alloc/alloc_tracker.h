/*
 * alloc_tracker.h - the class java.lang.Hprof_libhprof_Alloc, which injected code calls when an
 * object is made.
 *
 * The methods of the class read the object's class word with Unsafe and pass it to native methods.
 * They can do so because they are Java code: the collector cannot move the object meanwhile. In
 * sampled mode they count bytes down, with a counter for each thread, and call a native method only
 * when the counter runs out (alloc_countdown.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>
#include "safe/own_class.h"

struct agent;

#define ALLOC_TRACKER OWN_CLASS("Alloc")
#define ALLOC_TRACKER_OBJECT "object"
#define ALLOC_TRACKER_ARRAY "array"
#define ALLOC_TRACKER_ARRAYS "arrays"
#define ALLOC_TRACKER_MAYBE "maybe"

/** Define the class in the VM. Errors: 0, or -1. Context: java. */
int alloc_tracker_define(struct agent *a, JNIEnv *env);
/** The bytes that an object counts for when samples are drawn, as alloc_countdown_weight() says. */
uint64_t alloc_tracker_weight(uint64_t bytes, int64_t length);
