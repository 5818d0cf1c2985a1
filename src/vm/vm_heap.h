/*
 * vm_heap.h - walks of the heap by JVM TI, and what else makes the VM make objects.
 *
 * Compilers keep some objects in registers. Before the VM walks the heap, looks into a frame or
 * tells which monitors a thread owns, it makes them on the calling thread, holds up every other
 * thread that comes from native code meanwhile, and tells the sampler of each. Whoever is told
 * there may wait for no lock: its owner may be one of those that are held up, and the JVM would
 * stand still. So all calls of that kind are made here, and handlers ask vm_heap_is_making().
 * Context of everything here: java. Source: HotSpot escapeBarrier.cpp and jvmtiTagMap.cpp, JDK 16
 * and later. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

/** IterateThroughHeap over objects of every class, with its errors. */
jvmtiError vm_heap_iterate(jvmtiEnv *jvmti, jint filter, const jvmtiHeapCallbacks *callbacks,
                           const void *arg);
/** FollowReferences to objects of every class, `from` one or NULL, the roots; with its errors. */
jvmtiError vm_heap_follow(jvmtiEnv *jvmti, jint filter, jobject from,
                          const jvmtiHeapCallbacks *callbacks, const void *arg);
/** GetOwnedMonitorInfo, with its errors. */
jvmtiError vm_heap_owned_monitors(jvmtiEnv *jvmti, jthread thread, jint *ret_count,
                                  jobject **ret_owned);
/** GetLocalInstance of a thread, NULL for the calling one, with its errors. */
jvmtiError vm_heap_local_instance(jvmtiEnv *jvmti, jthread thread, jint depth, jobject *ret_object);
/** Whether the calling thread is within such a call. */
bool vm_heap_is_making(void);
