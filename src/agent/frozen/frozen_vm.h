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
