/*
 * jvmpi_monitor.h - MONITOR_CONTENDED_ENTER, ENTERED, EXIT, MONITOR_WAIT and WAITED.
 *
 * Injected code sends EXIT in the thread that releases the monitor, before it releases it. If no
 * injected code has sent it, EXIT is sent just before ENTERED, when a thread that waited enters the
 * monitor. The env_id is then that of the last known owner: the owner for which the thread began to
 * wait, or another thread that waited and has entered since.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** Turn one of the events on or off. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_monitor_contended_on(JNIEnv *env);
void jvmpi_monitor_contended_off(void);
int jvmpi_monitor_exit_on(JNIEnv *env);
void jvmpi_monitor_exit_off(void);
int jvmpi_monitor_wait_on(JNIEnv *env);
void jvmpi_monitor_wait_off(void);
/** Forget the calling thread, which has ended, as a former owner of monitors. Context: any, not
 * signal. */
void jvmpi_monitor_end_thread(JNIEnv *env);
