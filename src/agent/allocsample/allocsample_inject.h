/*
 * allocsample_inject.h - samples of allocations from injected code, where the VM has no sampler:
 * JDK 8.
 *
 * Each constructor of an object and each instruction that makes an array counts bytes down, in Java
 * (alloc/alloc_countdown.h). What passes neither, clones and arrays of arrays, is told of behind
 * the call or instruction, and drawn then.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>
#include "vm/injector_later.h"

struct agent;

/** What has been drawn: an object of `bytes`, as one that weighs `weight`. */
struct allocsample_object {
    jobject object;
    jclass klass;
    uint64_t bytes, weight;
};

/** An object is a sample. `own`: innermost frames that are neither the program's nor the tracker's.
 * Context: java. */
typedef void allocsample_inject_seen(JNIEnv *env, const struct allocsample_object *o, uint32_t own);

/** Errors: 0; E_UNSUPPORTED this VM does not let its classes be changed. Context: OnLoad or java.
 */
int allocsample_inject_load(struct agent *a);
/** Errors: 0, E_UNSUPPORTED. Context: java. */
int allocsample_inject_start(struct agent *a, JNIEnv *env, uint64_t interval,
                             allocsample_inject_seen *seen);
/** In how many of the classes that were loaded before. Context: any, after start(). */
struct injector_later_cover allocsample_inject_cover(void);
void allocsample_inject_set_interval(uint64_t interval);
/** No object is a sample any more, but those of calls that have begun. */
void allocsample_inject_stop(void);
/** Give back what load() has taken; also where start() was not called. Errors: 0; -EBUSY: somebody
 * is still in a call. Context: java. */
int allocsample_inject_release(void);
