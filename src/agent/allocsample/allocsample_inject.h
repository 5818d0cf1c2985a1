/*
 * allocsample_inject.h - samples of allocations from injected code, for a VM that has no sampler
 * (JDK 8).
 *
 * Code in the constructor of java.lang.Object and behind each instruction that makes an array
 * counts bytes down, in Java (alloc/alloc_countdown.h). Clones and arrays of arrays pass neither.
 * For these, code behind the call or instruction reports the new object, and the object is drawn
 * then.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>
#include "vm/injector_later.h"

struct agent;

/** An object that has been drawn: its size is `bytes`, and it was drawn with the weight `weight`.
 */
struct allocsample_object {
    jobject object;
    jclass klass;
    uint64_t bytes, weight;
};

/** Called for each object that is a sample. `own`: number of innermost frames that belong neither
 * to the program nor to the tracker. Context: java. */
typedef void allocsample_inject_seen(JNIEnv *env, const struct allocsample_object *o, uint32_t own);

/** Prepare the injection. Errors: 0; E_UNSUPPORTED: this VM does not let its classes be changed.
 * Context: OnLoad or java. */
int allocsample_inject_load(struct agent *a);
/** Begin to sample; `seen` is called for each sample. Errors: 0, E_UNSUPPORTED. Context: java. */
int allocsample_inject_start(struct agent *a, JNIEnv *env, uint64_t interval,
                             allocsample_inject_seen *seen);
/** How many of the classes that were loaded before have the code now. Context: any, after
 * allocsample_inject_start(). */
struct injector_later_cover allocsample_inject_cover(void);
void allocsample_inject_set_interval(uint64_t interval);
/** Stop sampling. Only calls that have already begun may still report a sample. */
void allocsample_inject_stop(void);
/** Give back what allocsample_inject_load() has taken, also if allocsample_inject_start() was not
 * called. Errors: 0; -EBUSY: a thread is still in a call. Context: java. */
int allocsample_inject_release(void);
