/*
 * jvmpi_suspend.h - threads are suspended and resumed, and asked what they do.
 *
 * What the interface has under these names. A thread that JVMPI has suspended is not resumed by
 * Thread.resume, nor the other way round: who finds a thread suspended leaves it to the other.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>

/** Nothing for the calling thread. Context: java. */
void jvmpi_suspend_thread(JNIEnv *of);
void jvmpi_suspend_resume(JNIEnv *of);
/** results[i]: JVMPI_SUCCESS or JVMPI_FAIL. */
void jvmpi_suspend_list(jint count, JNIEnv **list, jint *results);
void jvmpi_suspend_resume_list(jint count, JNIEnv **list, jint *results);
/** What JVMPI_THREAD_RUNNABLE and the others say; 0: no such thread. */
/** The object whose Object.wait a thread is in, looked up while the thread is suspended for that
 * moment; NULL: in none, or it cannot be said. A local reference. Context: java. */
jobject jvmpi_suspend_waited(JNIEnv *env, jthread thread);
jint jvmpi_suspend_status(JNIEnv *of);
jboolean jvmpi_suspend_has_run(JNIEnv *of);
