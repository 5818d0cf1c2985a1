/*
 * scope_virtual.h - lets the scopes of a virtual thread follow it from carrier to carrier.
 *
 * The VM reports each mount and unmount of a virtual thread while a recording runs and the program
 * has added a key. Otherwise virtual threads have no scopes, because the agent would not know when
 * a carrier has another virtual thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

struct agent;

/**
 * Called when a recording begins or a key is added: start to follow virtual threads, if there are
 * any to follow. Context: java, with the lock of life.
 */
void scope_virtual_begin(struct agent *a, JNIEnv *env);
/**
 * End this; the VM reports nothing any more. Context: java, with the lock of life, after the VM's
 * events have settled.
 */
void scope_virtual_end(void);
/** Whether virtual threads can have scopes now. Context: any. */
bool scope_virtual_is_followed(void);
/**
 * The number of the calling thread if it is a virtual thread, otherwise 0; negative: unknown.
 * Context: java.
 */
jlong scope_virtual_self(JNIEnv *env);
/**
 * The number of `thread` if it is a virtual thread, otherwise 0; negative: unknown. Context: java.
 */
jlong scope_virtual_number(JNIEnv *env, jthread thread);
/** The number of a virtual thread. Context: java. */
jlong scope_virtual_id(JNIEnv *env, jthread thread);
