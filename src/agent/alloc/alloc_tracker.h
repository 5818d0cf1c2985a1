/*
 * alloc_tracker.h - java.lang.Hprof_libhprof_Alloc: what injected code calls where an object is
 * made.
 *
 * Its methods read the object's class word with Unsafe, because they are Java and the collector
 * cannot move it meanwhile, and pass it to native methods. In sampled mode they count bytes down,
 * a counter for each thread, and call on only where one runs out.
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

/** Define it. Errors: 0, or -1. Context: java. */
int alloc_tracker_define(struct agent *a, JNIEnv *env);
/** The bytes that an object counts for when samples are drawn: any measure will do that the Java
 * code can take without asking. */
uint64_t alloc_tracker_weight(uint64_t bytes, int64_t length);
