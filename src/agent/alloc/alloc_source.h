/*
 * alloc_source.h - how the agent gets to know the VM's allocations.
 *
 * There are two sources, tried in this order: the allocation sampler of JDK 11 and later
 * (alloc_vm.c), and calls that are injected behind every allocation (alloc_inject.c).
 * docs/allocation.md tells what each of them sees.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "safe/own_class.h"

struct agent;
struct vm_env_refusal;

struct alloc_source {
    const char *name;
    bool skips_first; /* the first bytes that a thread allocates are not reported if the thread
                         existed before */
    /** Prepare the source before the VM has threads, if the source works in this VM. Errors: 0;
     * E_UNSUPPORTED: it does not work. If the source is one for this VM, *ret_why then says what
     * the VM refuses; otherwise *ret_why keeps the refusal of the source before. Context: OnLoad,
     * or java at attach. */
    int (*load)(struct agent *a, struct vm_env_refusal *ret_why);
    /** From now on call alloc_count() for each allocation. Errors: 0, E_UNSUPPORTED. Context: java,
     * lock held. */
    int (*start)(struct agent *a, JNIEnv *env);
    void (*stop)(void);
    /** Give back what load() and start() have taken. Errors: 0; negative: some code of the source
     * is still at work. Context: java. */
    int (*close)(struct agent *a, JNIEnv *env);
    /** Number of loaded classes whose arrays are not reported yet. NULL: all arrays are reported.
     */
    uint32_t (*classes_left)(void);
    /** In sampled mode: the bytes that an object counts for; `length` is -1 if it is not an array.
     */
    uint64_t (*weight)(uint64_t bytes, int64_t length);
};

extern const struct alloc_source alloc_vm;
extern const struct alloc_source alloc_inject;

/*
 * alloc_tracker.c: the class java.lang.Hprof_libhprof_Alloc, which injected code calls when an
 * object is made.
 *
 * The methods of the class read the object's class word with Unsafe and pass it to native methods.
 * They can do so because they are Java code: the collector cannot move the object meanwhile. In
 * sampled mode they count bytes down, with a counter for each thread, and call a native method only
 * when the counter runs out (alloc_countdown.h).
 */

#define ALLOC_TRACKER OWN_CLASS("Alloc")
#define ALLOC_TRACKER_OBJECT "object"
#define ALLOC_TRACKER_ARRAY "array"
#define ALLOC_TRACKER_ARRAYS "arrays"
#define ALLOC_TRACKER_MAYBE "maybe"

/** Define the class in the VM. Errors: 0, or -1. Context: java. */
int alloc_tracker_define(struct agent *a, JNIEnv *env);
/** The bytes that an object counts for when samples are drawn, as alloc_countdown_weight() says. */
uint64_t alloc_tracker_weight(uint64_t bytes, int64_t length);
