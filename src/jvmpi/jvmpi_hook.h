/*
 * jvmpi_hook.h - CLASS_LOAD_HOOK: agents replace the bytes of a class before it is made.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** The event is wanted now, or no longer. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_hook_on(JNIEnv *env);
void jvmpi_hook_off(void);
