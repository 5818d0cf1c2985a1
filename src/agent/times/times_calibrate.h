/*
 * times_calibrate.h - measures what the probes of an injected method cost in one call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/times/times_report.h"

/**
 * Measure for `budget_ns` of CPU time, and return the smallest cost that was ever measured in this
 * VM. `is_last`: there is no later measurement, so wait up to a tenth of a second for the compilers
 * if they have not compiled the tracker yet. `is_too_coarse`: the clock cannot tell which part of
 * the cost lies inside the call's own time; half of it is taken. The tracker is defined already.
 * Context: java.
 */
struct times_report_cost times_calibrate(JNIEnv *env, uint64_t budget_ns, bool is_last,
                                         bool is_too_coarse);
