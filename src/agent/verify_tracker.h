/*
 * verify_tracker.h - the class that injected methods call: java.lang.HprofVerify.
 *
 * Made here as a class file of native methods only, whose C side keeps the shadow stack. Why
 * java.lang, and why by DefineClass: docs/injection.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct agent;

#define VERIFY_TRACKER "java/lang/HprofVerify"
#define VERIFY_TRACKER_ENTER "enter"
#define VERIFY_TRACKER_EXIT "exit"
#define VERIFY_TRACKER_CAUGHT "caught"

enum { VERIFY_TRACKER_NUMBERS = 1 << 20 };

struct instrument_method;

/** The number that stands for a method in its calls, or -1: there are no more. Context: any. */
int32_t verify_tracker_add(const struct instrument_method *m, uint64_t hash);
/** What stands behind a number: verify_frames_hash() of the method. Context: signal. */
uint64_t verify_tracker_hash(uint32_t number);
/** Its class and name, as in java/lang/String.length. Context: any. */
const char *verify_tracker_name(uint32_t number);

/**
 * Define the class and bind its methods. JVM TI ClassPrepare events must be on and go to
 * verify_tracker_prepared(). Errors: 0, -1 with no exception pending. Context: java.
 */
int verify_tracker_define(JNIEnv *env);
/** A class was prepared: binds the methods if it is the tracker. Context: java. */
void verify_tracker_prepared(struct agent *a, jclass klass);
