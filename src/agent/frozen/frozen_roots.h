/*
 * frozen_roots.h - what holds the objects of a frozen heap, as JVM TI names it in the pause.
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
    struct hprof_heap_root *rows; /* `object` is an address, or whatever the walk calls it by */
    uint32_t count, max;          /* count == max: some may be missing */
};

/** Take memory for many. Errors: 0, -ENOMEM. */
int frozen_roots_take(struct frozen_roots *r);
void frozen_roots_forget(struct frozen_roots *r);

/** What JVM TI says of one root, as files have it. Context: gc. */
void frozen_roots_add(struct frozen_roots *r, struct frozen_threads *threads,
                      jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                      uint64_t object);
/** The root that was added last has its serial and trace from the thread's tag. Context: gc. */
void frozen_roots_name_tagged(struct frozen_roots *r, const struct frozen_threads *threads,
                              jlong tag);
/** The same where the tags may be those of others: by the thread's address. Context: gc. */
void frozen_roots_name_found(struct frozen_roots *r, const struct frozen_threads *threads,
                             const struct frozen_vm *v);
/**
 * In the child: leave out the one reference to each class of the list, and to each thread, that the
 * agent has made; they are none of the program's, and would keep every class alive.
 * Errors: 0, -ENOMEM.
 */
int frozen_roots_drop_own(struct frozen_roots *r, const struct frozen_threads *threads,
                          const struct frozen_vm *v, struct heap_classes *classes,
                          struct arena *arena);
