/*
 * jvmpi_method.h - METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT, by injected code.
 *
 * While one of the events is on, each method calls this library at its begin and its end. A call
 * that an exception ends is told before the first instruction of the exception's handler, the
 * innermost call first; if there is no handler, it is told at the end of the thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

struct jvmpi_thread;

/** Get the capabilities for METHOD_ENTRY2 while the VM still gives them. Context: OnLoad. */
void jvmpi_method_open(void);
/** Turn METHOD_ENTRY or METHOD_EXIT on or off. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_method_on(JNIEnv *env);
void jvmpi_method_off(void);
/** Turn METHOD_ENTRY2 on or off. Errors and context: as above. */
int jvmpi_method_objects_on(JNIEnv *env);
void jvmpi_method_objects_off(void);
/** Tell the exits of the calls that are still open in the calling thread, which ends. Context:
 * java. */
void jvmpi_method_end_thread(struct jvmpi_thread *t);
