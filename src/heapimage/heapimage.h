/*
 * heapimage.h - the heap of a JVM from outside, of a core or of a process that stands: its objects,
 * classes and roots.
 *
 * The order of calls: heapimage_open(); heapimage_collect() while the JVM stands, with a snapshot
 * of its threads; one of the functions that copy the heap; from then on the JVM may run. Then
 * heapimage_find(); then the objects can be counted (heapimage_count()) or written
 * (heapimage_dump.h).
 * Nothing that is read is trusted: objects are those whose class the VM's loaders list and that lie
 * within the heap. References that lead nowhere are counted and not followed.
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "heapimage/heapimage_copy.h"
#include "heapimage/heapimage_roots.h"
#include "heapwalk/heap_find.h"
#include "hotspot/loaded_classes.h"
#include "hotspot/vm_roots.h"

struct snapshot;

struct heapimage {
    struct snapshot *snapshot; /* borrowed */
    struct heap heap;
    struct vm_roots vm_roots;
    struct heap_range *ranges; /* the pieces of the heap that are in use */
    uint32_t range_count, range_max;
    uint64_t used_bytes; /* of these pieces */
    struct loaded_class *classes;
    uint64_t *klasses; /* of `classes` */
    uint32_t class_count, class_max;
    uint32_t broken_lists; /* lists of classes that made no sense from some class on */
    bool is_in_gc;         /* the JVM stands in the middle of a collection */
    struct heapimage_roots roots;
    struct heapimage_copy copy;
    struct arena arena;
    struct heap_find find;
    bool is_reachable_only; /* unreachable objects of this heap cannot be found */
    struct {
        uint32_t exact;   /* roots of frames whose references are known */
        uint32_t guessed; /* words of stacks that are roots */
        uint64_t objects; /* what nothing but these words holds */
    } of_stacks;
    const char *why; /* the reason of an error, static text; "": none is known */
};

/** Whether the JVM stands in the middle of a collection that stops the program. */
bool heapimage_is_in_gc(const struct snapshot *s);

/** Find the heap. The snapshot is open, and stays at its place. Errors: 0; E_UNSUPPORTED;
 * E_FACT_MISSING; E_VM_STATE; -ENOMEM; `why` says more. Owner: heapimage_close(), also after an
 * error. */
int heapimage_open(struct heapimage *h, struct snapshot *s);
void heapimage_close(struct heapimage *h);

/** Read the pieces of the heap, the list of classes, and what may be a root; again, if the JVM ran
 * meanwhile. The snapshot has been taken. Errors as heapimage_open(). */
int heapimage_collect(struct heapimage *h);

/** Take the heap from the core whose file is `path`. Errors: 0; -errno; E_VM_STATE. */
int heapimage_copy_of_core(struct heapimage *h, struct mem_core *core, const char *path);
/** Have memory at hand, before the process is stopped. Errors: 0; -ENOMEM; E_VM_STATE. */
int heapimage_prepare(struct heapimage *h);
/** Take the heap from the process, which stands. heapimage_prepare() has been called. Errors: 0;
 * -ETIMEDOUT: `is_over` has returned true. */
int heapimage_copy_of_live(struct heapimage *h, struct mem_live *live, bool (*is_over)(void *with),
                           void *with);

/**
 * Find the objects: those that can be reached, and with `with_unreachable` all others, too.
 * Errors: 0; -ENOMEM; E_VM_STATE; E_FACT_MISSING; `why` says more.
 */
int heapimage_find(struct heapimage *h, bool with_unreachable);
/** Count the objects of classes[i] into ret_rows[i]. There is one row more than classes, for
 * objects of other classes (fillers are not counted). Errors: 0; -ENOMEM. */
int heapimage_count(struct heapimage *h, struct heap_find_sum *ret_rows);
/** The name of a class as Java programs have it (an array's as the VM's: "[I"). Returns the length,
 * or -1: it cannot be read. */
int heapimage_class_name(const struct heapimage *h, uint32_t index, char *dst, size_t size);
