/*
 * alloc_source.h - how the VM is made to tell of its allocations.
 *
 * Two ways, tried in this order: the allocation sampler of JDK 11 and later (alloc_vm.c), and calls
 * injected behind every allocation (alloc_inject.c). What each sees: docs/allocation.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct agent;
struct vm_env_refusal;

struct alloc_source {
    const char *name;
    bool skips_first; /* a thread that is there before takes some bytes that nobody is told of */
    /** Whether it works here, and what has to be done before the VM has threads. Errors: 0;
     * E_UNSUPPORTED and in *ret_why, which holds a refusal already, what this VM refuses, if this
     * source is one for it. Context: OnLoad, or java at attach. */
    int (*load)(struct agent *a, struct vm_env_refusal *ret_why);
    /** Tell alloc_count() from now on. Errors: 0, E_UNSUPPORTED. Context: java, lock held. */
    int (*start)(struct agent *a, JNIEnv *env);
    void (*stop)(void);
    /** Give back what load() and start() have taken. Errors: 0; negative: something of it is still
     * at work. Context: java. */
    int (*close)(struct agent *a, JNIEnv *env);
    /** Loaded classes that do not tell of their arrays yet. NULL: all tell. */
    uint32_t (*classes_left)(void);
    /** Sampled mode: the bytes that an object counts for; `length` -1: it is no array. */
    uint64_t (*weight)(uint64_t bytes, int64_t length);
};

extern const struct alloc_source alloc_vm;
extern const struct alloc_source alloc_inject;
