/*
 * frozen_roots.c - see frozen_roots.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_roots.h"
#include <errno.h>
#include "agent/frozen/frozen_threads.h"
#include "agent/frozen/frozen_vm.h"
#include "base/arena.h"
#include "base/pages.h"
#include "format/hprof_serial.h"
#include "heapwalk/heap_class.h"
#include "profile/profile.h"

enum {
    ROWS_MAX = 16 << 20, /* rows; memory is touched only when it is used */
    /* rows; the least that is tried if the process may not have so much memory */
    ROWS_MIN = 1 << 16,
    SLOTS_MIN = 64,
};

int frozen_roots_take(struct frozen_roots *r)
{
    *r = (struct frozen_roots){.max = 2 * ROWS_MAX};
    do {
        r->max /= 2;
        r->rows = pages_map((size_t)r->max * sizeof(*r->rows));
    } while (!r->rows && r->max > ROWS_MIN);
    return r->rows ? 0 : -ENOMEM;
}

void frozen_roots_forget(struct frozen_roots *r)
{
    pages_unmap(r->rows, (size_t)r->max * sizeof(*r->rows));
    *r = (struct frozen_roots){0};
}

static enum hprof_root_kind root_kind(jvmtiHeapReferenceKind kind)
{
    switch (kind) {
    case JVMTI_HEAP_REFERENCE_JNI_GLOBAL:
        return HPROF_ROOT_JNI_GLOBAL;
    case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS:
        return HPROF_ROOT_SYSTEM_CLASS;
    case JVMTI_HEAP_REFERENCE_MONITOR:
        return HPROF_ROOT_MONITOR;
    case JVMTI_HEAP_REFERENCE_STACK_LOCAL:
        return HPROF_ROOT_JAVA_FRAME;
    case JVMTI_HEAP_REFERENCE_JNI_LOCAL:
        return HPROF_ROOT_JNI_LOCAL;
    case JVMTI_HEAP_REFERENCE_THREAD:
        return HPROF_ROOT_THREAD;
    default:
        return HPROF_ROOT_UNKNOWN;
    }
}

void frozen_roots_add(struct frozen_roots *r, struct frozen_threads *threads,
                      jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                      uint64_t object)
{
    const struct frozen_thread *t = NULL;
    if (r->count == r->max)
        return; /* count == max tells the caller that some roots may be missing */
    struct hprof_heap_root *row = &r->rows[r->count++];

    *row = (struct hprof_heap_root){.kind = root_kind(kind), .object = object, .frame = -1};
    if (row->kind == HPROF_ROOT_JAVA_FRAME) {
        t = frozen_threads_of_id(threads, info->stack_local.thread_id);
        row->frame = frozen_threads_depth(t, info->stack_local.depth, info->stack_local.method);
    } else if (row->kind == HPROF_ROOT_JNI_LOCAL) {
        t = frozen_threads_of_id(threads, info->jni_local.thread_id);
        row->frame = frozen_threads_depth(t, info->jni_local.depth, info->jni_local.method);
    }
    row->thread = t ? t->serial : HPROF_SERIAL_THREAD_UNKNOWN;
    row->is_own = row->kind == HPROF_ROOT_JNI_GLOBAL ||
                  (row->kind == HPROF_ROOT_JNI_LOCAL && t && t == threads->own);
    row->trace = HPROF_SERIAL_TRACE_SYSTEM;
}

/* The root that was added last; NULL if it is not a thread. */
static struct hprof_heap_root *last_thread(struct frozen_roots *r)
{
    struct hprof_heap_root *row = r->count > 0 ? &r->rows[r->count - 1] : NULL;
    return row && row->kind == HPROF_ROOT_THREAD ? row : NULL;
}

static void name_thread(struct hprof_heap_root *row, const struct frozen_thread *t)
{
    row->thread = t->serial;
    row->trace = t->trace;
}

void frozen_roots_name_tagged(struct frozen_roots *r, const struct frozen_threads *threads,
                              jlong tag)
{
    struct hprof_heap_root *row = last_thread(r);
    const struct frozen_thread *t = frozen_threads_tagged(threads, tag);
    if (row && t)
        name_thread(row, t);
}

void frozen_roots_name_found(struct frozen_roots *r, const struct frozen_threads *threads,
                             const struct frozen_vm *v)
{
    struct hprof_heap_root *row = last_thread(r);
    for (uint32_t i = 0; row && i < threads->count; i++) {
        if (frozen_vm_object(v, threads->rows[i].ref) == row->object) {
            name_thread(row, &threads->rows[i]);
            return;
        }
    }
}

/* ---- in the child: the agent's own references */

/* An index of the threads by the addresses of their objects. */
struct thread_index {
    const struct frozen_vm *vm;
    struct frozen_thread **slots;
    uint32_t mask;
};

static struct frozen_thread **thread_slot(const struct thread_index *x, uint64_t object)
{
    uint32_t at = (uint32_t)((object >> 3) * 0x9e3779b97f4a7c15ull >> 32) & x->mask;
    while (x->slots[at] && frozen_vm_object(x->vm, x->slots[at]->ref) != object)
        at = (at + 1) & x->mask;
    return &x->slots[at];
}

static int index_threads(struct thread_index *x, const struct frozen_threads *threads,
                         const struct frozen_vm *v, struct arena *arena)
{
    uint32_t size = SLOTS_MIN;
    while (size < threads->count * 2)
        size *= 2;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the slots are pointers */
    *x = (struct thread_index){v, arena_alloc(arena, size * sizeof(*x->slots)), size - 1};
    for (uint32_t i = 0; x->slots && i < threads->count; i++) {
        uint64_t object = frozen_vm_object(v, threads->rows[i].ref);
        if (object)
            *thread_slot(x, object) = &threads->rows[i];
    }
    return x->slots ? 0 : -ENOMEM;
}

static bool take_off(const struct thread_index *x, struct heap_classes *c,
                     const struct hprof_heap_root *row)
{
    const struct heap *h = &x->vm->heap;
    struct frozen_thread *t = *thread_slot(x, row->object);
    uint64_t object = heap_resolve(h, row->object);
    struct heap_class *k = NULL;
    if (t)
        return row->kind == HPROF_ROOT_JNI_LOCAL ? t->own_locals-- > 0 : t->own_globals-- > 0;
    if (row->kind == HPROF_ROOT_JNI_LOCAL && heap_klass(h, object) == c->class_klass)
        k = heap_class_at(c, heap_u8(h, object + (uint64_t)c->facts.mirror_klass));
    if (!k || k->user)
        return false;
    k->user = k; /* marks the class as met; only this function uses this table of classes */
    return true;
}

int frozen_roots_drop_own(struct frozen_roots *r, const struct frozen_threads *threads,
                          const struct frozen_vm *v, struct heap_classes *classes,
                          struct arena *arena)
{
    struct thread_index index;
    uint32_t kept = 0;
    if (index_threads(&index, threads, v, arena) != 0)
        return -ENOMEM;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct hprof_heap_root *row = &r->rows[i];
        if (!row->is_own || !take_off(&index, classes, row))
            r->rows[kept++] = *row;
    }
    r->count = kept;
    return 0;
}
