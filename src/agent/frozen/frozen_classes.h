/*
 * frozen_classes.h - the loaded classes, and where they are while the VM stands still.
 *
 * They are listed before the pause, by references of JNI; in the pause the references say where the
 * mirrors are, and in the frozen heap each mirror says of which class it is.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct arena;
struct frozen_vm;
struct heap_classes;

struct frozen_classes {
    jclass *list; /* local references: each is a root that is none of the program's */
    jint count;
    uint64_t *mirrors; /* of each: its address in the pause; 0 not known */
    uint64_t *klasses; /* of each, in the child: what its mirror describes; 0 gone */
};

/**
 * List the classes anew; the references of an earlier list go. The memory is the arena's.
 * Errors: 0, E_UNSUPPORTED, -ENOMEM. Context: java.
 */
int frozen_classes_take(struct frozen_classes *c, jvmtiEnv *jvmti, JNIEnv *env,
                        struct arena *arena);
/** In the pause: fill `mirrors`. Context: gc. */
void frozen_classes_locate(struct frozen_classes *c, const struct frozen_vm *v);
/** In the child: fill `klasses`; here the mirrors can be followed at rest. */
void frozen_classes_find(struct frozen_classes *c, const struct frozen_vm *v,
                         struct heap_classes *known);
/** The references stay as long as the caller's local frame. */
void frozen_classes_forget(struct frozen_classes *c, jvmtiEnv *jvmti);
