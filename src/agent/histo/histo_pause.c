/*
 * histo_pause.c - see histo_pause.h.
 *
 * Only classes get tags, so the walk takes no memory: IterateThroughHeap gives the tag of the class
 * and the size of each object. It shows all objects that lie in the heap; with ZGC it shows the
 * objects that can be reached.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/histo/histo_pause.h"
#include "agent/frozen/frozen_classes.h"
#include "base/err.h"
#include "safe/clock.h"
#include "vm/vm_heap.h"

struct counting {
    struct heap_find_sum *rows;
    jlong classes;
    uint64_t stopped_ns; /* when the first object came; 0: no object has come */
};

static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag_ptr, jint length, void *arg)
{
    struct counting *c = arg;
    if (!c->stopped_ns)
        c->stopped_ns = clock_monotonic_ns();
    if (vm_heap_is_flat(tag_ptr)) /* its bytes count for the object that contains it, as in the VM's
                                     own histogram */
        return 0;
    bool is_listed = class_tag >= 1 && class_tag <= c->classes;
    struct heap_find_sum *row = &c->rows[is_listed ? class_tag - 1 : c->classes];

    row->objects++;
    row->bytes += (uint64_t)size;
    return 0;
}

int histo_pause_count(jvmtiEnv *jvmti, const struct frozen_classes *classes, bool is_live,
                      struct heap_find_sum *rows, uint64_t *ret_pause_ns)
{
    jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};
    struct counting counting = {rows, classes->count, 0};
    if (is_live && (*jvmti)->ForceGarbageCollection(jvmti) != JVMTI_ERROR_NONE)
        return E_UNSUPPORTED;
    for (jint i = 0; i < classes->count; i++)
        (*jvmti)->SetTag(jvmti, classes->list[i], i + 1);
    jvmtiError error = vm_heap_iterate(jvmti, 0, &callbacks, &counting);

    *ret_pause_ns = counting.stopped_ns ? clock_monotonic_ns() - counting.stopped_ns : 0;
    return error == JVMTI_ERROR_NONE ? 0 : E_UNSUPPORTED;
}
