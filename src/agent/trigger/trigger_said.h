/*
 * trigger_said.h - descriptions of threads and exceptions for the messages of triggers.
 *
 * Context: java, on the thread that is described. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;

enum { TRIGGER_SAID_THREAD = 128 };

/** Get the name of the calling thread. */
void trigger_said_thread(jvmtiEnv *jvmti, JNIEnv *env, char ret[TRIGGER_SAID_THREAD]);
/**
 * Describe an exception, for example "java.io.IOException: no such file, in the thread "main"".
 * None of the exception's code runs, because it may not be ready for that. Owner: the caller frees
 * the text; NULL: no memory.
 */
char *trigger_said(struct agent *a, JNIEnv *env, jobject exception);
/**
 * The lines of the stack that a finished exception has stored. Owner: the caller frees the text;
 * NULL: no memory or no stack.
 */
char *trigger_said_stack(JNIEnv *env, jobject exception);
