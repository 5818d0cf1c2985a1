/*
 * heap_mark.c - see heap_mark.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/heap_mark.h"
#include "base/pages.h"
#include "hotspot/target.h"
#include <errno.h>

#define CHUNK_HAS_BITMAP 0x10u

int heap_mark_init(struct heap_mark *m, struct heap_classes *classes)
{
    *m = (struct heap_mark){.heap = classes->heap, .classes = classes};
    uint64_t span = m->heap->high - m->heap->low;
    m->bit_words = (span / 8 + 63) / 64;
    m->bits = pages_map(m->bit_words * 8);
    /* Each object is pushed once; the smallest has two words. */
    m->stack_max = span / 16;
    m->stack = pages_map(m->stack_max * 8);
    if (!m->bits || !m->stack) {
        heap_mark_done(m);
        return -ENOMEM;
    }
    return 0;
}

void heap_mark_done(struct heap_mark *m)
{
    pages_unmap(m->bits, m->bit_words * 8);
    pages_unmap(m->stack, m->stack_max * 8);
    m->bits = NULL;
    m->stack = NULL;
}

static void push(struct heap_mark *m, uint64_t object)
{
    if (object == 0)
        return;
    if (!heap_has(m->heap, object) || (object & 7) != 0) {
        m->broken++;
        return;
    }
    if (m->heap->collector == HEAP_SHENANDOAH) {
        uint64_t at = heap_resolve(m->heap, object);
        m->forwarded += at != object;
        object = at;
    }
    uint64_t bit = heap_mark_bit(m, object), *word = &m->bits[bit >> 6],
             mask = (uint64_t)1 << (bit & 63);
    if (*word & mask)
        return;
    *word |= mask;
    if (m->stack_used == m->stack_max) {
        m->full = 1;
        return;
    }
    __builtin_prefetch(heap_bytes(m->heap, object));
    m->stack[m->stack_used++] = object;
}

static void push_run(struct heap_mark *m, uint64_t at, uint64_t count)
{
    if (m->heap->reference_bytes == 4) {
        for (uint64_t i = 0; i < count; i++, at += 4) {
            uint64_t narrow = heap_u4(m->heap, at);
            if (narrow != 0)
                push(m, m->heap->oops.refs.base + (narrow << m->heap->oops.refs.shift));
        }
        return;
    }
    for (uint64_t i = 0; i < count; i++, at += 8)
        push(m, heap_u8(m->heap, at));
}

/* A class that is in use: its mirror, and what only the VM's own structures hold. */
static void visit_class(struct heap_mark *m, struct heap_class *k)
{
    for (; k && !k->is_visited; k = k->super) {
        k->is_visited = 1;
        push(m, k->mirror);
        push(m, k->resolved);
        if (k->element)
            visit_class(m, k->element);
    }
}

static void push_statics(struct heap_mark *m, uint64_t mirror)
{
    struct heap_class *k = heap_class_of_mirror(m->classes, mirror);
    if (!k)
        return;
    visit_class(m, k);
    for (uint32_t i = 0; i < k->static_count; i++) {
        if (k->statics[i].type == HEAP_OBJECT)
            push(m, heap_reference(m->heap, mirror + k->statics[i].offset));
    }
}

/* A word of a stack that may be a reference and may be anything: only believed if it leads to an
 * object of a class that is known. The read is one that may fail. */
static void push_guess(struct heap_mark *m, uint64_t word)
{
    const struct heap *h = m->heap;
    if (!heap_has(h, word) || (word & 7) != 0)
        return;
    if (heap_class_known(m->classes, oops_klass(&h->oops, word)))
        push(m, word);
}

/* The frames of a virtual thread. Once a collection has seen them a bitmap says where references
 * are; before that every slot is a guess. */
static void push_chunk(struct heap_mark *m, const struct heap_class *k, uint64_t object)
{
    const struct heap *h = m->heap;
    uint64_t words = heap_u4(h, object + (uint64_t)m->classes->chunk_size),
             stack = object + k->bytes, bitmap = stack + words * 8;
    uint32_t step = h->reference_bytes;
    if (*heap_bytes(h, object + (uint64_t)m->classes->chunk_flags) & CHUNK_HAS_BITMAP) {
        for (uint64_t i = 0; i < words * 8 / step; i++) {
            if (heap_u8(h, bitmap + i / 64 * 8) >> (i & 63) & 1)
                push(m, heap_reference(h, stack + i * step));
        }
        return;
    }
    for (uint64_t i = 0; i < words; i++)
        push_guess(m, heap_u8(h, stack + i * 8));
    for (uint64_t i = 0; step == 4 && i < words * 2; i++)
        push_guess(m, heap_reference(h, stack + i * 4));
}

static void visit(struct heap_mark *m, uint64_t object)
{
    const struct heap *h = m->heap;
    struct heap_class *k = heap_class_at(m->classes, heap_klass(h, object));
    if (!k) {
        heap_mark_clear(m, object);
        m->broken++;
        return;
    }
    m->objects++;
    m->bytes += heap_class_object_bytes(m->classes, k, object);
    if (!k->is_visited)
        visit_class(m, k);
    if (k->kind == HEAP_OBJECT_ARRAY) {
        push_run(m, object + k->header_bytes, heap_array_length(h, object));
        return;
    }
    for (uint32_t i = 0; i < k->run_count; i++)
        push_run(m, object + k->runs[i].offset, k->runs[i].count);
    if (k->kind == HEAP_MIRROR)
        push_statics(m, object);
    else if (k->kind == HEAP_STACK_CHUNK && m->classes->chunk_size > 0)
        push_chunk(m, k, object);
    else if (k->strength == HEAP_SOFT || k->strength == HEAP_FINAL)
        push(m, heap_reference(h, object + k->referent));
}

void heap_mark_from(struct heap_mark *m, uint64_t object)
{
    push(m, object);
    while (m->stack_used > 0)
        visit(m, m->stack[--m->stack_used]);
}

/* 1 if this class lives as long as its loader. */
static int lives_with_loader(const struct heap_mark *m, const struct heap_class *k)
{
    const struct target *t = m->heap->target;
    const struct heap_classes *c = m->classes;
    uint64_t data, loader;
    if (k->kind == HEAP_OBJECT_ARRAY && k->element)
        return lives_with_loader(m, k->element);
    if (k->kind == HEAP_PRIMITIVE_ARRAY || c->klass_loader_data < 0 || c->data_loader < 0)
        return 1;
    data = target_u8(t, k->klass + (uint64_t)c->klass_loader_data);
    if (data == 0)
        return 1;
    if (c->data_holder >= 0 && (target_u4(t, data + (uint64_t)c->data_holder) & 255) != 0)
        return 0;
    loader = target_u8(t, data + (uint64_t)c->data_loader);
    if (t->layout->version > 8 && loader != 0)
        loader = target_u8(t, loader);
    return loader == 0 || heap_mark_has(m, heap_resolve(m->heap, loader));
}

void heap_mark_classes(struct heap_mark *m, const uint64_t *klasses, uint32_t count, int all)
{
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t i = 0; i < count; i++) {
            struct heap_class *k = heap_class_at(m->classes, klasses[i]);
            if (!k || k->is_visited || (!all && !lives_with_loader(m, k)))
                continue;
            visit_class(m, k);
            heap_mark_from(m, 0);
            again = 1;
        }
    }
}

uint64_t heap_mark_next(const struct heap_mark *m, uint64_t from, uint64_t to)
{
    if (from >= to)
        return to;
    uint64_t bit = heap_mark_bit(m, from), at = bit >> 6, end = (heap_mark_bit(m, to) + 63) >> 6;
    uint64_t word = m->bits[at] & ~(uint64_t)0 << (bit & 63);
    while (word == 0) {
        if (++at >= end)
            return to;
        word = m->bits[at];
    }
    uint64_t found = m->heap->low + ((at * 64 + (uint64_t)__builtin_ctzll(word)) << 3);
    return found < to ? found : to;
}
