/*
 * verify_tracker.h - the class that injected methods call: java.lang.Hprof_libhprof_Verify.
 *
 * Its methods are native, and their C side keeps the shadow stack.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>
#include "safe/own_class.h"

struct agent;

#define VERIFY_TRACKER OWN_CLASS("Verify")
#define VERIFY_TRACKER_ENTER "enter"
#define VERIFY_TRACKER_EXIT "exit"
#define VERIFY_TRACKER_CAUGHT "caught"

struct instrument_method;

/** The number that stands for a method in its calls, or -1: there are no more. Context: any. */
int32_t verify_tracker_add(const struct instrument_method *m, uint64_t hash);
/** What stands behind a number: verify_frames_hash() of the method. Context: signal. */
uint64_t verify_tracker_hash(uint32_t number);
/** Its class and name, as in java/lang/String.length, cut at `size` - 1 bytes. Context: any. */
void verify_tracker_name(uint32_t number, char *ret, size_t size);

/** Define the class, bind its methods. Errors: 0, -1 with no exception pending. Context: java. */
int verify_tracker_define(struct agent *a, JNIEnv *env);
