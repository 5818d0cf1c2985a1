/*
 * jvmpi_method.h - METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT, by injected code.
 *
 * While one of them is on, each method calls us where it begins and ends. Calls that an exception
 * ends are told before the first instruction of the handler, the innermost first, or at the end of
 * the thread. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

struct jvmpi_thread;

/** Get early what METHOD_ENTRY2 needs. Context: OnLoad. */
void jvmpi_method_open(void);
/** METHOD_ENTRY or METHOD_EXIT is wanted now, or no longer. Errors: 0, E_UNSUPPORTED. Context:
 * java.
 */
int jvmpi_method_on(JNIEnv *env);
void jvmpi_method_off(void);
/** The same of METHOD_ENTRY2. */
int jvmpi_method_objects_on(JNIEnv *env);
void jvmpi_method_objects_off(void);
/** The calling thread ends: tell the exits that are left. Context: java. */
void jvmpi_method_end_thread(struct jvmpi_thread *t);
