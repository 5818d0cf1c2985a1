/*
 * jvmpi_monitor.h - MONITOR_CONTENDED_ENTER, ENTERED, EXIT, MONITOR_WAIT and WAITED.
 *
 * EXIT is told by injected code, in the thread that gives the monitor back and before it does.
 * Where that has not been, EXIT is told when a thread that waited enters, just before ENTERED, with
 * the env_id of the last owner that is known: the one that it began to wait for, or another that
 * waited and has entered since. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** One of the events is wanted now, or none any longer. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_monitor_contended_on(JNIEnv *env);
void jvmpi_monitor_contended_off(void);
int jvmpi_monitor_exit_on(JNIEnv *env);
void jvmpi_monitor_exit_off(void);
int jvmpi_monitor_wait_on(JNIEnv *env);
void jvmpi_monitor_wait_off(void);
/** The calling thread has ended, and is the former owner of nothing any more. Context: any, not
 * signal. */
void jvmpi_monitor_end_thread(JNIEnv *env);
