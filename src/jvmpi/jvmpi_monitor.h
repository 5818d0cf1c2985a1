/*
 * jvmpi_monitor.h - MONITOR_CONTENDED_ENTER, ENTERED, EXIT, MONITOR_WAIT and WAITED.
 *
 * The VM does not tell that a contended monitor is given back. EXIT is told when the thread that
 * waited enters: with the env_id of the owner that it waited for, just before ENTERED.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** One of the events is wanted now, or none any longer. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_monitor_contended_on(JNIEnv *env);
void jvmpi_monitor_contended_off(void);
int jvmpi_monitor_wait_on(JNIEnv *env);
void jvmpi_monitor_wait_off(void);
