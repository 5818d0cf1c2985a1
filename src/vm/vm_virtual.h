/*
 * vm_virtual.h - the virtual threads that live: their number, and a random choice of them.
 *
 * JVM TI has no list of virtual threads, and with its events of their begins and ends the VM notes
 * each mount of each virtual thread. The JDK has a list of its own, for its thread dumps. These
 * functions ask for that list, which also has the virtual threads that began earlier. Nothing of
 * the list is called before the program's first virtual thread. With -Djdk.trackAllThreads=false
 * the JDK counts threads without listing them. Source: jdk.internal.vm.ThreadContainers, JDK 21 to
 * 28.
 *
 * All functions run Java code of the JDK, so the caller holds no lock. Context of everything here:
 * java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct vm;

/** How many virtual threads there are. */
struct vm_virtual_count {
    uint64_t listed;
    uint64_t hidden; /* threads that the JDK counts without listing them */
};

/** Whether there may be virtual threads. Only then may the functions below be called. */
bool vm_virtual_is_used(const struct vm *vm, JNIEnv *env);
/**
 * Draw `max` of the listed threads, each with the same chance; if fewer are listed, take all.
 * Errors:  the number drawn; negative: the JDK does not list them.
 * Owner:   ret[] are global references that the caller owns.
 */
int vm_virtual_draw(JNIEnv *env, uint64_t *random, jobject *ret, int max,
                    struct vm_virtual_count *ret_count);
/** Whether a thread that was drawn has a carrier. */
bool vm_virtual_is_mounted(JNIEnv *env, jobject thread);
/** Free the references to the JDK's classes. */
void vm_virtual_close(JNIEnv *env);
