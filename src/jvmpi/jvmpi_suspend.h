/*
 * jvmpi_suspend.h - suspend and resume threads, and ask what they do.
 *
 * These are functions of the interface. Thread.resume does not resume a thread that JVMPI has
 * suspended, and JVMPI does not resume a thread that Thread.suspend has suspended: a function that
 * finds a thread suspended already leaves the thread alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>

/** SuspendThread and ResumeThread. Nothing happens for the calling thread. Context: java. */
void jvmpi_suspend_thread(JNIEnv *of);
void jvmpi_suspend_resume(JNIEnv *of);
/** SuspendThreadList and ResumeThreadList. results[i] becomes JVMPI_SUCCESS or JVMPI_FAIL. */
void jvmpi_suspend_list(jint count, JNIEnv **list, jint *results);
void jvmpi_suspend_resume_list(jint count, JNIEnv **list, jint *results);
/** The object in whose Object.wait the thread is. The thread is suspended for the moment of the
 * question. NULL: it is in none, or this cannot be said. A local reference. Context: java. */
jobject jvmpi_suspend_waited(JNIEnv *env, jthread thread);
/** GetThreadStatus: JVMPI_THREAD_RUNNABLE and the other states; 0: there is no such thread. */
jint jvmpi_suspend_status(JNIEnv *of);
/** ThreadHasRun. */
jboolean jvmpi_suspend_has_run(JNIEnv *of);
