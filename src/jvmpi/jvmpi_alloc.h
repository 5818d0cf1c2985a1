/*
 * jvmpi_alloc.h - OBJECT_ALLOC.
 *
 * On JDK 11 and later the VM's allocation sampler tells of each object; on JDK 8 injected code
 * does. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>

/** Ready to hear of the first object: a thread decides when it is made which it tells of. Nothing
 * where the VM has no sampler, or another agent has it. Context: OnLoad. */
void jvmpi_alloc_open(void);
/** OBJECT_ALLOC is wanted now, or no longer. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_alloc_on(JNIEnv *env);
void jvmpi_alloc_off(void);
/** Tell the objects that there are to who has wanted it since JVM_OnLoad. Context: java. */
void jvmpi_alloc_replay(JNIEnv *env);
/** The id of an object that an event is about to name: who was promised to has had its OBJECT_ALLOC
 * then. NULL for NULL. Context: java. */
jobjectID jvmpi_alloc_named(JNIEnv *env, jobject object);
/** RequestEvent(OBJECT_ALLOC). Context: java. */
jint jvmpi_alloc_request(JNIEnv *env, int agent, jobjectID id);
