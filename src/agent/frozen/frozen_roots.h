/*
 * frozen_roots.h - the roots of a frozen heap, as JVM TI names them in the pause.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>
#include "format/hprof_heap.h"

struct arena;
struct frozen_classes;
struct frozen_threads;
struct frozen_vm;
struct heap_classes;

struct frozen_roots {
    /* `object` is an address, or the tag of the object (heapdump_pause.c) */
    struct hprof_heap_root *rows;
    uint32_t count, max; /* count == max: some roots may be missing */
};

/** Take memory for the roots. Errors: 0, -ENOMEM. */
int frozen_roots_take(struct frozen_roots *r);
void frozen_roots_forget(struct frozen_roots *r);

/** Add a root that JVM TI has reported, in the form that files have. Context: gc. */
void frozen_roots_add(struct frozen_roots *r, struct frozen_threads *threads,
                      jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                      uint64_t object);
/** If the last root is a thread, set its serial and trace; `tag` is the tag of the thread. Context:
 * gc. */
void frozen_roots_name_tagged(struct frozen_roots *r, const struct frozen_threads *threads,
                              jlong tag);
/** Do the same by the address of the thread's object, because the tags may belong to another
 * environment. Context: gc. */
void frozen_roots_name_found(struct frozen_roots *r, const struct frozen_threads *threads,
                             const struct frozen_vm *v);
/**
 * In the child: remove the references that the agent itself has made, one to each listed class and
 * one to each thread. They do not belong to the program, and would keep every class alive.
 * Errors: 0, -ENOMEM.
 */
int frozen_roots_drop_own(struct frozen_roots *r, const struct frozen_threads *threads,
                          const struct frozen_vm *v, struct heap_classes *classes,
                          struct arena *arena);
