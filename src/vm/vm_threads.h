/*
 * vm_threads.h - from a java.lang.Thread to the VM's own JavaThread.
 *
 * Only platform threads have one of their own; a virtual thread's is its carrier's.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct vm;

/** Learn where they are. Context: java, once the VM has threads. */
void vm_threads_learn(const struct vm *vm, JNIEnv *env);
/** The address of the JavaThread of a platform thread; 0: not known, or it does not live. */
uint64_t vm_threads_address(JNIEnv *env, jthread thread);
/** How far into a JavaThread its JNIEnv lies; 0: not known. Context: any. */
intptr_t vm_threads_env_offset(void);
/** The JNIEnv of the JavaThread at `address`; NULL: not known. Context: any. */
void *vm_threads_env(uint64_t address);
