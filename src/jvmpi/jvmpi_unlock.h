/*
 * jvmpi_unlock.h - reports monitors that are about to be released, by injected code.
 *
 * Reported are the instruction monitorexit, except where an exception leaves a synchronized block;
 * and the ends of synchronized methods that have code.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** The calling thread is about to release the object's monitor, or one of several entries of it. */
typedef void jvmpi_unlock_seen(JNIEnv *env, jobject object);

/** Begin to report, and stop. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_unlock_on(JNIEnv *env, jvmpi_unlock_seen *seen);
void jvmpi_unlock_off(void);
