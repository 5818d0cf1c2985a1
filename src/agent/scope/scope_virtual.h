/*
 * scope_virtual.h - the scopes of a virtual thread go with it from carrier to carrier.
 *
 * The VM tells of each mount and each unmount of a virtual thread, once somebody has named a key
 * and a recording runs. Without that a virtual thread has no scopes: nobody would know when a
 * carrier has another. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

struct agent;

/** The VM lives, or a key was named: begin, where there is something to follow. Context: java, with
 * the lock of life. */
void scope_virtual_begin(struct agent *a, JNIEnv *env);
/** The VM tells of nothing any more. Context: as above, the VM's events have settled. */
void scope_virtual_end(void);
/** Whether virtual threads can have scopes by now. Context: any. */
bool scope_virtual_is_followed(void);
/** Whether the calling thread is a virtual one: its number, else 0; negative: not known. Context:
 * java. */
jlong scope_virtual_self(JNIEnv *env);
/** Whether a thread is a virtual one: its number, else 0; negative: not known. Context: java. */
jlong scope_virtual_number(JNIEnv *env, jthread thread);
/** The number of a virtual thread. Context: java. */
jlong scope_virtual_id(JNIEnv *env, jthread thread);
