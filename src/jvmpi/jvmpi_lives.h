/*
 * jvmpi_lives.h - threads begin and end: THREAD_START, THREAD_END, and threads of agents.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>

/** Hear of threads, and tell THREAD_START for the calling one. Context: java, VM_INIT. */
void jvmpi_lives_open(JNIEnv *env, jthread self);
/** The same for the threads that there are: agents ask for their stacks, which name methods of
 * classes that have been told by now. Context: java, VM_INIT, once. */
void jvmpi_lives_replay(JNIEnv *env);
/** RequestEvent(THREAD_START): `id` is the thread object's. Context: java. */
jint jvmpi_lives_request(JNIEnv *env, int agent, jobjectID id);

/* GetThreadObject and CreateSystemThread. Context: java. */
jobjectID jvmpi_lives_object(JNIEnv *of);
jint jvmpi_lives_create(char *name, jint priority, void (*f)(void *));
