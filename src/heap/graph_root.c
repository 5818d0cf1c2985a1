/*
 * graph_root.c - the roots of a heap, and the threads that own some of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include "base/err.h"
#include "heap/graph.h"
#include "heap/graph_parts.h"

const char *graph_root_word(enum graph_root_kind kind)
{
    static const char *const words[GRAPH_ROOT_KINDS] = {
        [GRAPH_ROOT_UNKNOWN] = "unknown",
        [GRAPH_ROOT_JNI_GLOBAL] = "JNI global",
        [GRAPH_ROOT_JNI_LOCAL] = "JNI local",
        [GRAPH_ROOT_JAVA_FRAME] = "Java frame",
        [GRAPH_ROOT_NATIVE_STACK] = "native stack",
        [GRAPH_ROOT_SYSTEM_CLASS] = "system class",
        [GRAPH_ROOT_THREAD_BLOCK] = "thread block",
        [GRAPH_ROOT_MONITOR] = "monitor in use",
        [GRAPH_ROOT_THREAD] = "thread",
        [GRAPH_ROOT_INTERNED] = "interned string",
        [GRAPH_ROOT_FINALIZING] = "finalizing",
        [GRAPH_ROOT_DEBUGGER] = "debugger",
        [GRAPH_ROOT_REFERENCE_CLEANUP] = "reference cleanup",
        [GRAPH_ROOT_VM_INTERNAL] = "VM internal",
        [GRAPH_ROOT_JNI_MONITOR] = "JNI monitor",
        [GRAPH_ROOT_BOOT_CLASS] = "class of the boot loader",
    };
    return kind < GRAPH_ROOT_KINDS ? words[kind] : "unknown";
}

static int by_serial(const void *a, const void *b)
{
    const struct graph_thread *x = a, *y = b;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static int by_object(const void *a, const void *b)
{
    const struct graph_root *x = a, *y = b;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->thread_serial != y->thread_serial)
        return x->thread_serial < y->thread_serial ? -1 : 1;
    return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static const struct graph_thread *thread_by_serial(const struct graph *g, uint32_t serial)
{
    const struct graph_thread *rows = (const void *)g->threads.at;
    uint64_t low = 0, high = g->threads.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (rows[middle].serial < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->threads.count && rows[low].serial == serial ? &rows[low] : NULL;
}

bool graph_root_is_own(const struct graph_root *root)
{
    bool is_local = root->kind == GRAPH_ROOT_JAVA_FRAME || root->kind == GRAPH_ROOT_JNI_LOCAL;
    return !is_local || root->thread == GRAPH_NONE;
}

/* Where a dump tells of no system classes, the classes of the boot loader are roots. */
static int add_boot_classes(struct graph *g)
{
    const struct graph_raw_root *raw = (const void *)g->raw_roots.at;
    for (uint64_t i = 0; i < g->raw_roots.count; i++)
        if (raw[i].kind == GRAPH_ROOT_SYSTEM_CLASS)
            return 0;
    for (uint64_t i = 0; i < g->classes.rows.count; i++) {
        const struct heapclass_row *row = heapclass_row(&g->classes, (graph_class)i);
        struct graph_raw_root *root;
        if (!row->has_record || row->ids.loader != 0)
            continue;
        root = heaproom_list_add(&g->raw_roots, &g->room, sizeof(*root));
        if (!root)
            return E_LIMIT;
        *root = (struct graph_raw_root){
            .id = row->id, .frame = UINT32_MAX, .kind = GRAPH_ROOT_BOOT_CLASS};
    }
    return 0;
}

int graph_root_seal(struct graph *g)
{
    if (add_boot_classes(g) < 0)
        return E_LIMIT;
    struct graph_thread *threads = (void *)g->threads.at;
    for (uint64_t i = 0; i < g->threads.count; i++) {
        uint64_t number = addrmap_number(&g->map, threads[i].object);
        threads[i].object = number == UINT64_MAX ? GRAPH_NONE : number;
    }
    if (g->threads.count > 0)
        qsort(threads, g->threads.count, sizeof(*threads), by_serial);
    g->root_rows = g->raw_roots.count;
    g->roots = heaproom_take(&g->room, g->root_rows * sizeof(*g->roots));
    if (!g->roots)
        return E_LIMIT;
    const struct graph_raw_root *raw = (const void *)g->raw_roots.at;
    for (uint64_t i = 0; i < g->raw_roots.count; i++) {
        uint64_t object = addrmap_number(&g->map, raw[i].id);
        if (object == UINT64_MAX)
            continue; /* HotSpot has roots of objects that it leaves out of the dump */
        const struct graph_thread *thread =
            raw[i].thread == 0 ? NULL : thread_by_serial(g, raw[i].thread);
        g->roots[g->facts.roots++] =
            (struct graph_root){.object = object,
                                .thread = thread ? thread->object : GRAPH_NONE,
                                .kind = raw[i].kind,
                                .thread_serial = raw[i].thread,
                                .frame = raw[i].frame};
    }
    if (g->facts.roots > 0)
        qsort(g->roots, g->facts.roots, sizeof(*g->roots), by_object);
    heaproom_list_done(&g->raw_roots, &g->room);
    return 0;
}

const struct graph_root *graph_root_at(const struct graph *g, uint64_t index)
{
    return &g->roots[index];
}

const struct graph_root *graph_root_of(const struct graph *g, graph_object object)
{
    uint64_t low = 0, high = g->facts.roots;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (g->roots[middle].object < object)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->facts.roots && g->roots[low].object == object ? &g->roots[low] : NULL;
}
