/*
 * trigger_said.h - what messages of triggers say of threads and exceptions.
 *
 * Context: java, on the thread that it is about. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;

enum { TRIGGER_SAID_THREAD = 128 };

/** The name of the calling thread. */
void trigger_said_thread(jvmtiEnv *jvmti, JNIEnv *env, char ret[TRIGGER_SAID_THREAD]);
/** "java.io.IOException: no such file, in the thread "main"". None of its code runs: it may not be
 * ready for that. Owner: the caller frees it; NULL without memory. */
char *trigger_said(struct agent *a, JNIEnv *env, jobject exception);
/** The stack that a finished exception has of its own, as lines. Owner: as above; NULL also where
 * it has none. */
char *trigger_said_stack(JNIEnv *env, jobject exception);
