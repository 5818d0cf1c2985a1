/*
 * vm_heap.h - walks of the heap by JVM TI, and other calls that make the VM make objects.
 *
 * Compilers keep some objects in registers. Before the VM walks the heap, looks into a frame or
 * tells which monitors a thread owns, it makes these objects in the heap. It makes them on the
 * calling thread, holds up every other thread that returns from native code meanwhile, and calls
 * the allocation sampler for each object. A callback of the sampler may not wait for a lock then:
 * the lock's owner may be one of the threads that are held up, and the JVM would stand still. So
 * all calls of this kind are made in this file, and handlers ask vm_heap_is_making().
 *
 * Context of everything here: java. Source: HotSpot escapeBarrier.cpp and jvmtiTagMap.cpp, JDK 16
 * and later.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/** Call IterateThroughHeap for objects of every class. Errors are those of JVM TI;
 * JVMTI_ERROR_WRONG_PHASE: the VM is about to end (vm_pause.h). */
jvmtiError vm_heap_iterate(jvmtiEnv *jvmti, jint filter, const jvmtiHeapCallbacks *callbacks,
                           const void *arg);
/** Call FollowReferences for objects of every class, from the object `from`; NULL: from the roots.
 * Errors: as vm_heap_iterate(). */
jvmtiError vm_heap_follow(jvmtiEnv *jvmti, jint filter, jobject from,
                          const jvmtiHeapCallbacks *callbacks, const void *arg);
/**
 * The address of the object whose tag a heap callback was given. 0: a value that lies flat in
 * another object and has no address of its own.
 *
 * The tag lies in a CallbackWrapper on the VM's stack. Two words in front of the tag, the wrapper
 * has the object's address. From JDK 28 on this word is the address of a JvmtiHeapwalkObject on the
 * same stack, which has the object's address, then the offset within the object (4 bytes), then the
 * ValueKlass or null. The same holds for the tag of a referrer. The VM has just read these words,
 * so they are readable; the caller checks whether the result is the address of a known object.
 * Source: HotSpot jvmtiTagMap.cpp, jvmtiTagMapTable.hpp. Context of this function and the next two:
 * gc.
 */
uint64_t vm_heap_address(const jlong *tag_ptr);
/**
 * Whether this is an object of a value class (JDK 28, --enable-preview). *ret_place becomes the
 * address of its bytes.
 *
 * The VM has one tag for all value objects that are equal. To find the tag it compares all tagged
 * value objects, class by class (jvmtiTagMapTable.cpp, get_value_object_hash): with many of them
 * this takes minutes. The address and the class tell value objects apart without this search.
 */
bool vm_heap_is_value(const jlong *tag_ptr, uint64_t *ret_place);
/** Whether this object lies flat in another object. If so, the size that the callback was given is
 * the size of a structure of the VM and not of the object, and the object's bytes are those of its
 * holder. */
bool vm_heap_is_flat(const jlong *tag_ptr);

/** Call GetOwnedMonitorInfo. Errors are those of JVM TI. */
jvmtiError vm_heap_owned_monitors(jvmtiEnv *jvmti, jthread thread, jint *ret_count,
                                  jobject **ret_owned);
/** Call GetLocalInstance for a thread; NULL: the calling thread. Errors are those of JVM TI. */
jvmtiError vm_heap_local_instance(jvmtiEnv *jvmti, jthread thread, jint depth, jobject *ret_object);
/** Whether the calling thread is inside one of the calls above. */
bool vm_heap_is_making(void);
