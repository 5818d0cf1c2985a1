/*
 * live_set.h - sampled objects that the program still holds, as weak references.
 *
 * A set has a limited size, because each weak reference costs some time in every collection. When a
 * set is full, a random half of its objects is dropped, and each of the others stands for twice as
 * many, so sums stay right on average. Of the objects that come later, the same share is left out.
 * For example, after two such steps one of four objects is taken, and it stands for four. An object
 * that a collection has freed leaves the set when the set is swept. Context of everything here:
 * java, under one lock.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/ids.h"

struct live_object {
    jweak ref; /* belongs to the set */
    trace_id trace;
    class_id klass;
    thread_id thread; /* the thread that allocated it */
    uint32_t born;    /* number of collections before it was allocated */
    bool is_truncated;
    uint64_t made_ns;                /* CLOCK_MONOTONIC */
    uint64_t for_bytes, for_objects; /* the bytes and objects for which it stands */
};

struct live_set {
    struct live_object *objects;
    uint32_t count, capacity;
    uint64_t one_in; /* one of so many new objects is taken, on average; a power of two */
    uint64_t random;
};

/** Open a set that takes at most `bytes`. Errors: 0; -ENOMEM. Owner: live_set_close(). */
int live_set_open(struct live_set *s, size_t bytes, uint64_t seed);
/** Close a set, which may be zeroed. If `env` is NULL, the VM keeps the references. */
void live_set_close(struct live_set *s, JNIEnv *env);
/** Add an object. Errors: 0, also if the object is left out at random; -ENOMEM: the VM has no room
 * for a reference. */
int live_set_add(struct live_set *s, JNIEnv *env, jobject object, const struct live_object *o);
/** Take out the objects that are gone. */
void live_set_sweep(struct live_set *s, JNIEnv *env);
