/*
 * verify_tracker.h - the class that injected methods call: java.lang.Hprof_libhprof_Verify.
 *
 * Its methods are native; the C functions behind them keep the shadow stack.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "safe/own_class.h"

struct agent;

#define VERIFY_TRACKER OWN_CLASS("Verify")
#define VERIFY_TRACKER_ENTER "enter"
#define VERIFY_TRACKER_EXIT "exit"
#define VERIFY_TRACKER_CAUGHT "caught"

/**
 * Define the class and bind its methods. Errors: 0; -1 with no exception pending. Context: java.
 */
int verify_tracker_define(struct agent *a, JNIEnv *env);
