/*
 * times_calibrate.h - what a call of an injected method costs by itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/times/times_report.h"

/**
 * Measure for `budget_ns` of CPU time, and return the least that was ever measured in this VM.
 * `is_last`: there is no other time to measure, so it waits up to a tenth of a second for compilers
 * that have not come to it. `is_too_coarse`: the clock cannot tell how much of a call lies inside
 * its own time; half of it is taken. The tracker is defined. Context: java.
 */
struct times_report_cost times_calibrate(JNIEnv *env, uint64_t budget_ns, bool is_last,
                                         bool is_too_coarse);
