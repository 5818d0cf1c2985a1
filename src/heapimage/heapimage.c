/*
 * heapimage.c - see heapimage.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapimage/heapimage.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "hotspot/java_methods.h"
#include "hotspot/target.h"
#include "snapshot/snapshot.h"

enum { CLASSES_FIRST = 4096 };

/* The memory for what is read of classes: a damaged VM may claim to have any number of them. */
static const uint64_t arena_least = (uint64_t)256 << 20;

int heapimage_open(struct heapimage *h, struct snapshot *s)
{
    *h = (struct heapimage){.snapshot = s, .why = ""};
    int error = heap_open(&s->target, &h->heap, &h->why);
    if (error)
        return error;
    h->range_max = heap_ranges_max(&h->heap);
    h->ranges = calloc(h->range_max, sizeof(*h->ranges));
    vm_roots_open(&h->vm_roots, &s->target);
    h->is_reachable_only = h->heap.collector == HEAP_ZGC;
    return h->ranges ? 0 : -ENOMEM;
}

void heapimage_close(struct heapimage *h)
{
    if (h->find.mark.bits)
        heap_mark_done(&h->find.mark);
    arena_done(&h->arena);
    heapimage_copy_close(&h->copy);
    heapimage_roots_done(&h->roots);
    free(h->ranges);
    free(h->classes);
    free(h->klasses);
    *h = (struct heapimage){0};
}

/* ---- while the JVM stands */

static int read_ranges(struct heapimage *h)
{
    int64_t count = heap_ranges(&h->heap, h->ranges, h->range_max);
    if (count < 0) {
        h->why = "the regions of the heap";
        return (int)count;
    }
    h->range_count = (uint32_t)count;
    h->used_bytes = 0;
    for (uint32_t i = 0; i < h->range_count; i++)
        h->used_bytes += h->ranges[i].top - h->ranges[i].bottom;
    if (h->used_bytes / 2 <= h->heap.high - h->heap.low) /* they may overlap: see heap_ranges() */
        return 0;
    h->why = "the regions of the heap";
    return E_VM_STATE;
}

/* Reads what leads from a class to its objects, so that a copy of the memory has it. */
static void touch(const struct heapimage *h, uint64_t klass)
{
    const struct target *t = &h->snapshot->target;
    const struct klass_fields_facts *f = &h->heap.oops.fields;
    uint64_t mirror = target_u8(t, klass + (uint64_t)t->layout->klass_mirror);
    if (mirror != 0)
        target_u8(t, mirror);
    uint64_t pool = f->constants < 0 ? 0 : target_u8(t, klass + (uint64_t)f->constants);
    int32_t cache_at = target_field(t, "ConstantPool", "_cache", -1),
            resolved_at = target_field(t, "ConstantPoolCache", "_resolved_references", -1);
    if (pool == 0 || cache_at < 0 || resolved_at < 0)
        return;
    uint64_t cache = target_u8(t, pool + (uint64_t)cache_at);
    uint64_t handle = cache == 0 ? 0 : target_u8(t, cache + (uint64_t)resolved_at);
    if (handle != 0)
        target_u8(t, handle);
}

static int add_class(void *arg, const struct loaded_class *c)
{
    struct heapimage *h = arg;
    if (h->class_count == h->class_max) {
        uint32_t room = h->class_max ? h->class_max * 2 : CLASSES_FIRST;
        void *more = reallocarray(h->classes, room, sizeof(*h->classes));
        if (!more)
            return -ENOMEM;
        h->classes = more;
        h->class_max = room;
    }
    h->classes[h->class_count++] = *c;
    touch(h, c->klass);
    return 0;
}

static int read_classes(struct heapimage *h)
{
    h->class_count = 0;
    int error = loaded_classes_each(&h->snapshot->target, add_class, h, &h->broken_lists, &h->why);
    if (error == 0 && h->class_count == 0) {
        h->why = "the list of loaded classes is empty";
        error = E_VM_STATE;
    }
    return error;
}

bool heapimage_is_in_gc(const struct snapshot *s)
{
    const struct target *t = &s->target;
    uint64_t heap = target_static_value(t, "Universe", "_collectedHeap", 8);
    int32_t at = target_field(t, "CollectedHeap", "_is_stw_gc_active", -1);
    uint8_t is_active = 0;
    if (at < 0)
        at = target_field(t, "CollectedHeap", "_is_gc_active", -1);
    return at >= 0 && heap != 0 && mem_read(t->mem, heap + (uint64_t)at, &is_active, 1) == 0 &&
           is_active == 1;
}

int heapimage_collect(struct heapimage *h)
{
    heap_stand_still(&h->heap);
    h->is_in_gc = heapimage_is_in_gc(h->snapshot) || heap_is_moving(&h->heap);
    int error = read_ranges(h);
    if (!error)
        error = read_classes(h);
    if (!error)
        error = heapimage_roots_collect(&h->roots, &h->heap, &h->vm_roots, h->snapshot);
    return error;
}

int heapimage_prepare(struct heapimage *h)
{
    int error = heapimage_copy_open(&h->copy, &h->heap, h->snapshot->target.mem);
    if (!error)
        heapimage_copy_prepare(&h->copy, h->ranges, h->range_count);
    return error;
}

int heapimage_copy_of_core(struct heapimage *h, struct mem_core *core, const char *path)
{
    int error = heapimage_copy_open(&h->copy, &h->heap, h->snapshot->target.mem);
    if (!error)
        error = heapimage_copy_core(&h->copy, core, path, h->ranges, h->range_count);
    return error;
}

int heapimage_copy_of_live(struct heapimage *h, struct mem_live *live, bool (*is_over)(void *with),
                           void *with)
{
    heapimage_copy_turn(&h->copy, &h->heap);
    return heapimage_copy_live(&h->copy, live, h->ranges, h->range_count, is_over, with);
}

/* ---- afterwards */

static void add_system_classes(struct heapimage *h)
{
    for (uint32_t i = 0; i < h->class_count; i++) {
        const struct heap_class *k = heap_class_find(&h->find.classes, h->classes[i].klass);
        const struct hprof_heap_root row = {
            .kind = HPROF_ROOT_SYSTEM_CLASS, .object = k ? k->mirror : 0, .frame = -1};
        if (h->classes[i].is_boots && row.object != 0)
            heapimage_roots_add(&h->roots, &row);
    }
}

/* Forgets roots that lead out of the heap: what the VM tells may be damaged. */
static void keep_roots_of_heap(struct heapimage *h)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->roots.count; i++) {
        if (heap_has(&h->heap, h->roots.rows[i].object))
            h->roots.rows[kept++] = h->roots.rows[i];
    }
    h->roots.count = kept;
}

/* What the VM tells, of frames too, is marked first, so that the objects can be counted that words
 * alone hold. */
static void mark_roots(struct heapimage *h, bool with_unreachable)
{
    struct heap_mark *m = &h->find.mark;
    for (uint32_t i = 0; i < h->roots.count; i++)
        heap_mark_root(m, h->roots.rows[i].object);
    h->of_stacks.exact = heapimage_roots_guess(&h->roots, m, true);
    heap_mark_run(m);
    heap_mark_classes(m, h->klasses, h->class_count, with_unreachable);
    uint64_t before = m->objects;
    h->of_stacks.guessed = heapimage_roots_guess(&h->roots, m, false);
    heap_mark_run(m);
    h->of_stacks.objects = m->objects - before;
}

static int list_klasses(struct heapimage *h)
{
    h->klasses = calloc(h->class_count, sizeof(*h->klasses));
    for (uint32_t i = 0; h->klasses && i < h->class_count; i++)
        h->klasses[i] = h->classes[i].klass;
    return h->klasses ? 0 : -ENOMEM;
}

int heapimage_find(struct heapimage *h, bool with_unreachable)
{
    h->snapshot->target.mem =
        &h->copy.mem; /* what reads objects through struct mem reads the copy */
    arena_init(&h->arena, arena_least + h->used_bytes / 4);
    int error = list_klasses(h);
    if (error)
        return error;
    with_unreachable = with_unreachable && !h->is_reachable_only;
    h->find = (struct heap_find){.heap = &h->heap,
                                 .arena = &h->arena,
                                 .klasses = h->klasses,
                                 .klass_count = h->class_count,
                                 .ranges = h->ranges,
                                 .range_max = h->range_max,
                                 .with_unreachable = with_unreachable,
                                 .is_foreign = true,
                                 .bytes_max = h->used_bytes};
    error = heap_find_begin(&h->find);
    if (!error) {
        add_system_classes(h);
        keep_roots_of_heap(h);
        mark_roots(h, with_unreachable);
        error = h->roots.out_of_memory ? -ENOMEM : heap_find_run(&h->find);
    }
    h->why = error && h->find.why ? h->find.why : "";
    return error;
}

int heapimage_count(struct heapimage *h, struct heap_find_sum *ret_rows)
{
    return heap_find_count(&h->find, ret_rows);
}

int heapimage_class_name(const struct heapimage *h, uint32_t index, char *dst, size_t size)
{
    int len = oops_klass_name(&h->heap.oops, h->classes[index].klass, dst, size);
    if (len > 0)
        java_methods_external_name(dst);
    return len;
}
