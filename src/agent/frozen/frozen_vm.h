/*
 * frozen_vm.h - how the heap of this VM can be frozen: what is learnt of it once.
 *
 * The walks of JVM TI that freeze a heap are those of an environment of our own, whose tags are
 * nobody else's; and its addresses are checked with the sentinel, an array whose address we know
 * otherwise. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "heapwalk/heap.h"
#include "hotspot/target.h"

enum { FROZEN_VM_WHY = 128 };

/* The sentinel's tag. Threads have 1, 2, ... */
#define FROZEN_VM_SENTINEL ((jlong)1 << 62)

struct vm;

/** `why_not`, where the options do not want a child. */
#define FROZEN_VM_NO_FORK "fork=n"

struct frozen_vm {
    jvmtiEnv *jvmti;    /* NULL: it is not open */
    jobject sentinel;   /* global reference to an Object[1] that is not empty; not owned */
    jfieldID thread_id; /* of java.lang.Thread; NULL unknown */
    bool can_fork;
    char why_not[FROZEN_VM_WHY];
    struct target target; /* valid if can_fork was ever true */
    struct heap heap;
    struct heap_range *ranges; /* memory for the pause */
    uint32_t range_max;
};

/**
 * Make the environment and, with `may_fork`, find out whether a forked child can read the heap:
 * that sets `can_fork`, or `why_not`. Errors: 0; E_UNSUPPORTED nobody may tag objects. Context:
 * java.
 */
int frozen_vm_open(struct frozen_vm *v, const struct vm *vm, JNIEnv *env, bool may_fork);
/** Make what frozen_vm_open() needs of the Java heap, which may be full by then, and keep it until
 * as many calls of frozen_vm_unkeep(). Returns whether it is there. Context: java, one at a time.
 */
bool frozen_vm_keep(JNIEnv *env);
void frozen_vm_unkeep(JNIEnv *env);
/** Give all back, as far as it was taken. Context: java. */
void frozen_vm_close(struct frozen_vm *v, JNIEnv *env);

/** The heap is mapped shared, so that a fork does not freeze it: it is copied (frozen_copy.h). */
static inline bool frozen_vm_is_copied(const struct frozen_vm *v)
{
    return v->heap.collector == HEAP_ZGC;
}

/** The object behind a reference of JNI, while nothing moves. 0: `ref` is NULL. */
uint64_t frozen_vm_object(const struct frozen_vm *v, jobject ref);
/**
 * The address of the object whose tag a heap callback was given; 0: a value that lies flat in
 * another object, and is none of its own.
 *
 * The tag lies in a CallbackWrapper on the VM's stack. Two words before the tag the wrapper has the
 * object's address, or from JDK 28 on the address of a JvmtiHeapwalkObject in the same stack: the
 * object's address, then the offset within it (4 bytes). The VM itself has just read these words,
 * so they are readable; who calls checks the result for an object that is known.
 * Source: HotSpot jvmtiTagMap.cpp. Context: gc.
 */
uint64_t frozen_vm_tagged(const jlong *tag_ptr);

/**
 * Whether the tag that a heap callback was given is that of an object of a value class, which lies
 * in the heap by itself or flat in another object.
 *
 * The VM has one tag for all value objects that are equal, and finds it by comparing all that have
 * one, class by class: so value objects are told apart by where they lie, and get no tag.
 * JDK 28: the JvmtiHeapwalkObject has the ValueKlass behind the offset, and null for all others.
 * Source: HotSpot jvmtiTagMapTable.hpp, jvmtiTagMapTable.cpp (get_value_object_hash).
 * Context: gc; also for the tag of a referrer.
 */
bool frozen_vm_is_value(const jlong *tag_ptr, uint64_t *ret_place);
/** Whether it lies flat in another object: then the callback's size is not its own. */
bool frozen_vm_is_flat(const jlong *tag_ptr);
