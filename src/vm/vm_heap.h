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
#include <stdint.h>

/** IterateThroughHeap over objects of every class, with its errors. */
jvmtiError vm_heap_iterate(jvmtiEnv *jvmti, jint filter, const jvmtiHeapCallbacks *callbacks,
                           const void *arg);
/** FollowReferences to objects of every class, `from` one or NULL, the roots; with its errors. */
jvmtiError vm_heap_follow(jvmtiEnv *jvmti, jint filter, jobject from,
                          const jvmtiHeapCallbacks *callbacks, const void *arg);
/**
 * The address of the object whose tag a heap callback was given; 0: a value that lies flat in
 * another object, and is none of its own.
 *
 * The tag lies in a CallbackWrapper on the VM's stack. Two words before the tag the wrapper has the
 * object's address, or from JDK 28 on the address of a JvmtiHeapwalkObject in the same stack: the
 * object's address, then the offset within it (4 bytes), then the ValueKlass or null. The same
 * holds for the tag of a referrer. The VM itself has just read these words, so they are readable;
 * who calls checks the result for an object that is known. Source: HotSpot jvmtiTagMap.cpp,
 * jvmtiTagMapTable.hpp. Context of this and of the next two: gc.
 */
uint64_t vm_heap_address(const jlong *tag_ptr);
/**
 * Whether it is an object of a value class (JDK 28, --enable-preview): where its own bytes are.
 *
 * The VM has one tag for all value objects that are equal, and finds it by comparing all that have
 * one, class by class (jvmtiTagMapTable.cpp, get_value_object_hash): with many of them that takes
 * minutes. They can be told apart by place and class instead.
 */
bool vm_heap_is_value(const jlong *tag_ptr, uint64_t *ret_place);
/** Whether it lies flat in another object: then the size that the callback was given is not its
 * own, but one of the VM's own structures, and its bytes are those of its holder. */
bool vm_heap_is_flat(const jlong *tag_ptr);

/** GetOwnedMonitorInfo, with its errors. */
jvmtiError vm_heap_owned_monitors(jvmtiEnv *jvmti, jthread thread, jint *ret_count,
                                  jobject **ret_owned);
/** GetLocalInstance of a thread, NULL for the calling one, with its errors. */
jvmtiError vm_heap_local_instance(jvmtiEnv *jvmti, jthread thread, jint depth, jobject *ret_object);
/** Whether the calling thread is within such a call. */
bool vm_heap_is_making(void);
