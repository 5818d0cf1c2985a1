/*
 * alloc_stack.h - a number that stands for the stack of the calling thread, made quickly.
 *
 * The VM keeps an anchor while a thread is in native code. The walker of cpu=samples starts at this
 * anchor, so it needs neither a signal nor a guess. The number is a key to look up what the VM has
 * answered for this stack before; it is never shown. Context: java, in a native method or an event
 * of JVM TI.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct agent;
struct hs_layout;

enum { ALLOC_STACK_MAX = 256 }; /* frames */

/** How a value is mixed into a key of an allocation site: a new key, made of `key` and `value`.
 * Source: MurmurHash3's finalizer. Context: any. */
static inline uint64_t alloc_stack_mix(uint64_t key, uint64_t value)
{
    uint64_t h = (key ^ value) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

/** Learn the VM's layout. Without this call every key is 0. Context: java, lock held. */
void alloc_stack_prepare(struct agent *a, JNIEnv *env);
/** The layout of this VM; NULL if the layout cannot be read. Context: any, after
 * alloc_stack_prepare(). */
const struct hs_layout *alloc_stack_layout(void);
/** The key of the innermost `depth` frames; 0: the stack cannot be read this way. */
uint64_t alloc_stack_key(JNIEnv *env, int depth);
/** Forget the layout. Context: any; no thread may ask for a key. */
void alloc_stack_forget(void);
