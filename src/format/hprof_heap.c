/*
 * hprof_heap.c - what the two writers of heap dumps share: see hprof_heap.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_heap.h"

void hprof_heap_root_of_unknown(struct hprof_heap *h, uint32_t unknown, uint32_t trace)
{
    const struct hprof_heap_root r = {.kind = HPROF_ROOT_THREAD, .thread = unknown, .trace = trace};
    if (h->ops == &hprof_heap_text)
        h->ops->root(h, &r);
}

static bool names_thread(enum hprof_root_kind kind)
{
    return kind == HPROF_ROOT_JAVA_FRAME || kind == HPROF_ROOT_JNI_LOCAL ||
           kind == HPROF_ROOT_NATIVE_STACK || kind == HPROF_ROOT_THREAD;
}

void hprof_heap_root(struct hprof_heap *h, const struct hprof_heap_root *r, uint32_t unknown)
{
    struct hprof_heap_root to = *r;
    if (h->ops != &hprof_heap_text && names_thread(to.kind) && to.thread == unknown)
        to.kind = HPROF_ROOT_UNKNOWN;
    h->ops->root(h, &to);
    if (to.kind == HPROF_ROOT_THREAD) {
        to.kind = HPROF_ROOT_THREAD_BLOCK;
        h->ops->root(h, &to);
    }
}

void hprof_heap_cuts_add(struct hprof_heap_cuts *to, const struct hprof_heap_cuts *from)
{
    for (uint64_t i = 0; i < from->count && i < HPROF_HEAP_CUTS; i++)
        if (to->count + i < HPROF_HEAP_CUTS)
            to->first[to->count + i] = from->first[i];
    to->count += from->count;
}
