/*
 * jvmpi_lives.h - begins and ends of threads: THREAD_START, THREAD_END, and threads of agents.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>

/** Hear of threads, and send THREAD_START for the calling thread. Context: java, VM_INIT. */
void jvmpi_lives_open(JNIEnv *env, jthread self);
/** Send THREAD_START for the threads that exist. The classes were told before: agents ask for the
 * stacks of these threads, and the stacks name methods. Context: java, VM_INIT, once. */
void jvmpi_lives_replay(JNIEnv *env);
/** RequestEvent(THREAD_START); `id` is that of the thread's object. Context: java. */
jint jvmpi_lives_request(JNIEnv *env, int agent, jobjectID id);

/* GetThreadObject and CreateSystemThread. Context: java. */
jobjectID jvmpi_lives_object(JNIEnv *of);
jint jvmpi_lives_create(char *name, jint priority, void (*f)(void *));
