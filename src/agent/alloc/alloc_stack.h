/*
 * alloc_stack.h - the calling thread's own stack as a number, quickly.
 *
 * The walker of cpu=samples starts at the anchor that the VM keeps while a thread is in native
 * code, so no signal and no guess is needed. The number is a key to look up what the VM was asked
 * before; it is never shown. Context: java, in a native method or an event of JVM TI.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct agent;
struct hs_layout;

enum { ALLOC_STACK_MAX = 256 }; /* frames */

/** Learn the VM's layout. Without it every key is 0. Context: java, lock held. */
void alloc_stack_prepare(struct agent *a, JNIEnv *env);
/** The layout of this VM; NULL where it cannot be read. Context: any, after the above. */
const struct hs_layout *alloc_stack_layout(void);
/** The key of the innermost `depth` frames; 0: the stack cannot be read this way. */
uint64_t alloc_stack_key(JNIEnv *env, int depth);
/** Forget the layout. Context: any; nobody asks for a key. */
void alloc_stack_forget(void);
