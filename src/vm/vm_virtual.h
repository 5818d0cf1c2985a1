/*
 * vm_virtual.h - the virtual threads that live: how many there are, and some of them by chance.
 *
 * JVM TI has no list of them, and its events of their begins and ends make the VM note each mount
 * of each. The JDK has a list of its own, for its thread dumps, and it is asked for that: a virtual
 * thread that began before anybody asked is in it, too. Nothing of it is called before the first
 * virtual thread of the program. With -Djdk.trackAllThreads=false the JDK counts threads without
 * listing them. Source: jdk.internal.vm.ThreadContainers, JDK 21 to 28.
 *
 * All functions run Java code of the JDK: the caller holds no lock. Context: java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct vm;

/** How many there are. */
struct vm_virtual_count {
    uint64_t listed;
    uint64_t hidden; /* which the JDK counts without listing them */
};

/** Whether there may be virtual threads, which the rest can be asked for then. */
bool vm_virtual_is_used(const struct vm *vm, JNIEnv *env);
/**
 * Draw `max` of those that are listed, or all where there are fewer, each with the same chance.
 * Errors: the number drawn; negative: the JDK does not list them. Owner: ret[] are global
 * references, the caller's.
 */
int vm_virtual_draw(JNIEnv *env, uint64_t *random, jobject *ret, int max,
                    struct vm_virtual_count *ret_count);
/** Whether a thread that was drawn has a carrier. */
bool vm_virtual_is_mounted(JNIEnv *env, jobject thread);
/** Give back what is kept of the JDK's classes. */
void vm_virtual_close(JNIEnv *env);
