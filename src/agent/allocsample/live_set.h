/*
 * live_set.h - sampled objects that the program still holds, as weak references.
 *
 * A set is bounded, because each weak reference costs every collection some time. Where a set is
 * full, half of its objects are dropped by lot and each of the others stands for twice as many, so
 * sums stay right on average; of those that come later as many are left out. What a collection has
 * freed leaves a set when the set is swept. Context of everything here: java, under one lock.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/ids.h"

struct live_object {
    jweak ref; /* the set's */
    trace_id trace;
    class_id klass;
    thread_id thread; /* that made it */
    uint32_t born;    /* so many collections there had been */
    bool is_truncated;
    uint64_t made_ns;                /* CLOCK_MONOTONIC */
    uint64_t for_bytes, for_objects; /* it stands for so many */
};

struct live_set {
    struct live_object *objects;
    uint32_t count, capacity;
    uint64_t one_in; /* of those that come, on average, one is taken; a power of two */
    uint64_t random;
};

/** Of so many bytes at most. Errors: 0; -ENOMEM. Owner: live_set_close(). */
int live_set_open(struct live_set *s, size_t bytes, uint64_t seed);
/** Also of a zeroed set. `env` NULL: the references stay with the VM. */
void live_set_close(struct live_set *s, JNIEnv *env);
/** Errors: 0, also where the lot leaves it out; -ENOMEM: the VM has no room for a reference. */
int live_set_add(struct live_set *s, JNIEnv *env, jobject object, const struct live_object *o);
/** Take out what is no more. */
void live_set_sweep(struct live_set *s, JNIEnv *env);
