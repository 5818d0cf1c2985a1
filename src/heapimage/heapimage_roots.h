/*
 * heapimage_roots.h - the roots of a heap that is read from outside: what the VM tells, the
 * references of Java frames, and words of stacks.
 *
 * Where the VM says which slots of a frame hold references (stack_oops.h), these are roots of that
 * frame. Each other word of the used part of a Java thread's stack, and each of its registers, at
 * which an object may begin is a root of its own kind, a native stack's. So nothing that a frame
 * holds is missed; an object may be kept that nothing holds any more. Words of the VM's own data
 * are treated alike where the VM does not say which are references (vm_roots_each_word()). Context
 * of everything here: any, not signal; one thread. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "format/hprof_heap.h"
#include "heapimage/stack_oops.h"
#include "hotspot/vm_roots.h"

struct heap;
struct heap_mark;
struct snapshot;

/** A word of a stack, or of the VM's data, that is an address of the heap. */
struct heapimage_word {
    uint64_t object;
    uint32_t thread; /* its serial; 0: a word of the VM's data */
    int32_t frame;   /* number of the Java frame that holds the reference; -1: of a word */
    bool is_exact;   /* a reference of a frame */
};

struct heapimage_roots {
    struct hprof_heap_root *rows;
    uint32_t count, max;
    struct heapimage_word *words;
    uint32_t word_count, word_max;
    struct stack_oops_counts frames;
    bool out_of_memory; /* some are missing */
};

/** The serial of a thread and of its trace, for its row in snapshot.threads. */
static inline uint32_t heapimage_roots_thread(uint32_t row)
{
    return row + 1;
}

static inline uint32_t heapimage_roots_trace(uint32_t row)
{
    return row + 2;
}

/** Add one. */
void heapimage_roots_add(struct heapimage_roots *r, const struct hprof_heap_root *row);
/** Read all that may change when the JVM goes on. The snapshot has been taken. Errors: 0; -ENOMEM.
 */
int heapimage_roots_collect(struct heapimage_roots *r, const struct heap *h,
                            const struct vm_roots *vm, const struct snapshot *s);
/**
 * Make roots of the references of frames (`are_exact`), or of the words, that lead to an object of
 * a known class, and mark them. Returns how many there are.
 */
uint32_t heapimage_roots_guess(struct heapimage_roots *r, struct heap_mark *m, bool are_exact);
void heapimage_roots_done(struct heapimage_roots *r);
