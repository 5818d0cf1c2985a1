/*
 * jvmpi_hook.h - CLASS_LOAD_HOOK: agents replace the bytes of a class before the class is made.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** Hear of classes from the VM's start on, even if no agent wants the event yet. Context:
 * OnLoad. */
void jvmpi_hook_open(void);
/** Stop hearing of classes if no agent wants the event, because the VM is initialised. Context:
 * java. */
void jvmpi_hook_live(void);
/** Turn the event on or off. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_hook_on(JNIEnv *env);
void jvmpi_hook_off(void);
