/*
 * hprof_heap.c - what the two writers of heap dumps share: see hprof_heap.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_heap.h"

int hprof_heap_needs_unknown(const struct hprof_heap *h, const struct hprof_heap_root *roots,
                             uint32_t count, uint32_t serial)
{
    if (h->ops == &hprof_heap_text)
        return 1;
    for (uint32_t i = 0; i < count; i++) {
        if (roots[i].thread == serial &&
            (roots[i].kind == HPROF_ROOT_JAVA_FRAME || roots[i].kind == HPROF_ROOT_JNI_LOCAL ||
             roots[i].kind == HPROF_ROOT_THREAD))
            return 1;
    }
    return 0;
}
