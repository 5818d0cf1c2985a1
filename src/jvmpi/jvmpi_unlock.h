/*
 * jvmpi_unlock.h - hears of monitors that are about to be given back, from injected code.
 *
 * Seen are monitorexit, but where an exception leaves a synchronized block, and the ends of
 * synchronized methods that have code. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** The calling thread is about to give back the object's monitor, or an entry of several. */
typedef void jvmpi_unlock_seen(JNIEnv *env, jobject object);

/** Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_unlock_on(JNIEnv *env, jvmpi_unlock_seen *seen);
void jvmpi_unlock_off(void);
