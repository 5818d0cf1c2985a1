/*
 * heap_constants.c - see heap_constants.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapwalk/heap_constants.h"
#include "base/err.h"
#include "hotspot/target.h"
#include "safe/hs_method.h"
#include "safe/mem.h"
#include "safe/release.h"
#include <errno.h>
#include <string.h>

enum {
    INDICES = 65536,
    TAG_CLASS = 7,
    TAG_STRING = 8,
    /* Offset of the elements in the VM's Array<T>: its length comes first, then the elements,
     * aligned. */
    ARRAY_SMALL = 4,
    ARRAY_WORDS = 8,
};

int heap_constants_init(struct heap_constants *c, struct heap_classes *classes)
{
    const struct target *t = classes->heap->target;
    struct arena *a = classes->arena;
    *c = (struct heap_constants){.classes = classes};
    c->map = target_field(t, "ConstantPool", "_reference_map", -1);
    c->map_in_pool = c->map >= 0;
    if (!c->map_in_pool)
        c->map = target_field(t, "ConstantPoolCache", "_reference_map", -1);
    c->resolved_klasses = target_field(t, "ConstantPool", "_resolved_klasses", -1);
    if (c->map < 0 || t->layout->pool_tags < 0 || t->layout->pool_size <= 0 ||
        (c->resolved_klasses < 0 && t->layout->version >= RELEASE_RESOLVED_KLASSES))
        return E_FACT_MISSING;
    c->tags = arena_alloc(a, INDICES);
    c->slots = arena_alloc(a, INDICES * sizeof(*c->slots));
    c->klasses = arena_alloc(a, INDICES * sizeof(*c->klasses));
    c->indices = arena_alloc(a, INDICES * sizeof(*c->indices));
    c->objects = arena_alloc(a, INDICES * sizeof(*c->objects));
    return c->tags && c->slots && c->klasses && c->indices && c->objects ? 0 : -ENOMEM;
}

/* Reads the elements of an Array<T>, at most INDICES. Returns their count; 0: it cannot be read. */
static uint32_t read_array(const struct heap_constants *c, uint64_t array, uint32_t head,
                           uint32_t element_bytes, void *dst)
{
    const struct target *t = c->classes->heap->target;
    uint32_t count = array == 0 ? 0 : target_u4(t, array);
    if (count == 0 || count > INDICES)
        return 0;
    return mem_read(t->mem, array + head, dst, (size_t)count * element_bytes) < 0 ? 0 : count;
}

static void add_strings(struct heap_constants *c, const struct heap_class *k, uint64_t pool,
                        uint32_t length)
{
    const struct heap *h = c->classes->heap;
    uint64_t owner =
        c->map_in_pool ? pool : target_u8(h->target, pool + (uint64_t)c->classes->facts.pool_cache);
    uint64_t array = heap_resolve(h, k->resolved);
    if (owner == 0 || array == 0)
        return;
    uint32_t count = read_array(c, target_u8(h->target, owner + (uint64_t)c->map), ARRAY_SMALL,
                                sizeof(*c->indices), c->indices);
    for (uint32_t i = 0; i < count && i < heap_array_length(h, array); i++) {
        uint32_t at = c->indices[i];
        if (at < length && c->tags[at] == TAG_STRING)
            c->objects[at] = heap_reference(h, array + (uint64_t)h->oops.array_oops +
                                                   (uint64_t)i * h->reference_bytes);
    }
}

/* The Klass of a resolved entry of the pool. */
static uint64_t klass_of(const struct heap_constants *c, uint64_t slot, uint32_t klass_count)
{
    uint32_t at = (uint32_t)slot & 0xffff;
    if (c->resolved_klasses < 0)
        return slot;
    return at < klass_count ? c->klasses[at] : 0;
}

static void add_classes(struct heap_constants *c, uint64_t pool, uint32_t length)
{
    const struct target *t = c->classes->heap->target;
    uint32_t count = 0;
    if (c->resolved_klasses >= 0)
        count = read_array(c, target_u8(t, pool + (uint64_t)c->resolved_klasses), ARRAY_WORDS,
                           sizeof(*c->klasses), c->klasses);
    if (mem_read(t->mem, pool + (uint64_t)t->layout->pool_size, c->slots,
                 (size_t)length * sizeof(*c->slots)) < 0)
        return;
    for (uint32_t i = 1; i < length; i++) {
        const struct heap_class *k =
            c->tags[i] == TAG_CLASS ? heap_class_known(c->classes, klass_of(c, c->slots[i], count))
                                    : NULL;
        if (k)
            c->objects[i] = k->mirror;
    }
}

uint32_t heap_constants_read(struct heap_constants *c, const struct heap_class *k)
{
    const struct target *t = c->classes->heap->target;
    uint64_t pool =
        k->array.header_bytes
            ? 0
            : target_u8(t, k->klass + (uint64_t)c->classes->heap->oops.fields.constants);
    if (pool == 0)
        return 0;
    uint32_t length =
        read_array(c, target_u8(t, pool + (uint64_t)t->layout->pool_tags), ARRAY_SMALL, 1, c->tags);
    memset(c->objects, 0, length * sizeof(*c->objects));
    if (length > 0) {
        add_strings(c, k, pool, length);
        add_classes(c, pool, length);
    }
    return length;
}
