/*
 * jvmpi_hook.h - CLASS_LOAD_HOOK: agents replace the bytes of a class before it is made.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** Hear of classes from the VM's start on, whoever may want to. Context: OnLoad. */
void jvmpi_hook_open(void);
/** The VM is initialised: hear of them no longer, if nobody wants to. Context: java. */
void jvmpi_hook_live(void);
/** The event is wanted now, or no longer. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_hook_on(JNIEnv *env);
void jvmpi_hook_off(void);
