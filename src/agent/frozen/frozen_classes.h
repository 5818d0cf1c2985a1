/*
 * frozen_classes.h - the loaded classes, and where they lie while the VM is stopped.
 *
 * The classes are listed before the pause as JNI references to their mirrors (objects of
 * java.lang.Class). In the pause the references tell the addresses of the mirrors. In the frozen
 * heap each mirror tells which class it describes.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct arena;
struct frozen_vm;
struct heap_classes;

struct frozen_classes {
    jclass *list; /* local references; each of them is a root that does not belong to the program */
    jint count;
    uint64_t *mirrors; /* address of each mirror in the pause; 0: not known */
    /* in the child: the Klass that each mirror describes; 0: the class is gone */
    uint64_t *klasses;
};

/**
 * List the classes again; the references of an earlier list are deleted. The memory comes from the
 * arena.
 * Errors: 0, E_UNSUPPORTED, -ENOMEM. Context: java.
 */
int frozen_classes_take(struct frozen_classes *c, jvmtiEnv *jvmti, JNIEnv *env,
                        struct arena *arena);
/** In the pause: fill `mirrors`. Context: gc. */
void frozen_classes_locate(struct frozen_classes *c, const struct frozen_vm *v);
/** In the child: fill `klasses` by reading the mirrors. */
void frozen_classes_find(struct frozen_classes *c, const struct frozen_vm *v,
                         struct heap_classes *known);
/** Forget the list. Its references stay as long as the caller's local frame. */
void frozen_classes_forget(struct frozen_classes *c, jvmtiEnv *jvmti);
