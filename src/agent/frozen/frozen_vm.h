/*
 * frozen_vm.h - facts about this VM that are needed to freeze its heap; they are found once.
 *
 * The walks of JVM TI that freeze a heap use an environment of their own, so no other code sets its
 * tags. The addresses that a walk gives are checked with the sentinel, an array of the agent whose
 * address is also known from its JNI reference. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "heapwalk/heap.h"
#include "hotspot/target.h"
#include "hotspot/vm_roots.h"

enum { FROZEN_VM_WHY = 128 };

/* The sentinel's tag. Threads have 1, 2, ... */
#define FROZEN_VM_SENTINEL ((jlong)1 << 62)

struct vm;

/** The text of `why_not` if the options do not want a child. */
#define FROZEN_VM_NO_FORK "fork=n"

struct frozen_vm {
    jvmtiEnv *jvmti;    /* NULL: not open */
    jobject sentinel;   /* global reference to an Object[1] that is not empty; not owned */
    jfieldID thread_id; /* the field tid of java.lang.Thread; NULL: unknown */
    bool can_fork;
    char why_not[FROZEN_VM_WHY];
    struct target target; /* valid if can_fork has ever been true */
    struct heap heap;
    struct heap_range *ranges; /* memory for the pause */
    uint32_t range_max;
    struct vm_roots own_roots; /* of the VM, for a child that lets the VM find no roots */
};

/**
 * Make the environment. With `may_fork`, also find out whether a forked child can read the heap,
 * and set `can_fork` or `why_not`.
 * Errors: 0; E_UNSUPPORTED: the VM lets nobody tag objects.
 * Context: java.
 */
int frozen_vm_open(struct frozen_vm *v, const struct vm *vm, JNIEnv *env, bool may_fork);
/** Allocate the sentinel in the Java heap for a later frozen_vm_open(), because the heap may be
 * full by then. It is kept until frozen_vm_unkeep() has been called as often. Returns whether the
 * sentinel is there. Context: java, one thread at a time. */
bool frozen_vm_keep(JNIEnv *env);
void frozen_vm_unkeep(JNIEnv *env);
/** Give back everything that was taken. Context: java. */
void frozen_vm_close(struct frozen_vm *v, JNIEnv *env);

/** Whether the heap is mapped shared, so that a fork does not freeze it and it must be copied
 * (frozen_copy.h). The child of such a fork runs no code of the VM, which would follow references
 * to places that are not in the copy. */
static inline bool frozen_vm_is_copied(const struct frozen_vm *v)
{
    return v->heap.collector == HEAP_ZGC;
}

/** The address of the object of a JNI reference, while no object moves. 0: `ref` is NULL. */
uint64_t frozen_vm_object(const struct frozen_vm *v, jobject ref);
