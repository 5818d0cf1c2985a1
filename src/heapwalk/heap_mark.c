/*
 * heap_mark.c - see heap_mark.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapwalk/heap_mark.h"
#include "base/pages.h"
#include "hotspot/target.h"
#include "safe/mem.h"
#include "safe/release.h"
#include <errno.h>

enum { CHUNK_HAS_BITMAP = 0x10 };

enum {
    AHEAD = 16,   /* objects that are being prefetched into the cache; a power of two */
    PIECE = 1024, /* elements of an array that are visited in one go */
    /* flag of a stack entry: the entry is an array with unvisited elements, and the entry below it
     * is the index of the next element */
    REST = 1,
};

int heap_mark_init(struct heap_mark *m, struct heap_classes *classes, volatile uint64_t *seen)
{
    *m = (struct heap_mark){.heap = classes->heap, .classes = classes, .seen = seen};
    uint64_t span = m->heap->high - m->heap->low;
    m->bytes_max = span;
    m->bit_words = (span / 8 + 63) / 64;
    m->bits = pages_map_large(m->bit_words * 8);
    /* Each object is pushed once, and the smallest object has two words. */
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

/* A copy of the values that the marking needs at each step. They are kept in a local struct,
 * because the compiler cannot know that setting a mark bit leaves the fields of heap_mark
 * unchanged. */
struct sight {
    uint64_t low, span, base, delta;
    uint32_t shift, reference_bytes;
    int moves; /* the collector moves objects: resolve each reference */
    int heals; /* ZGC: decode each reference and write it back decoded */
    uint64_t *bits;
    uint64_t *top, *limit; /* of the stack of heap_mark */
};

static struct sight sight_of(const struct heap_mark *m)
{
    const struct heap *h = m->heap;
    return (struct sight){
        .low = h->low,
        .span = h->high - h->low,
        .base = h->oops.refs.base,
        .delta = (uint64_t)h->delta,
        .shift = (uint32_t)h->oops.refs.shift,
        .reference_bytes = h->reference_bytes,
        .moves = h->collector == HEAP_SHENANDOAH,
        .heals = h->collector == HEAP_ZGC,
        .bits = m->bits,
        .top = m->stack + m->stack_used,
        .limit = m->stack + m->stack_max,
    };
}

/* Marks and pushes an object, which is not null. */
static inline __attribute__((always_inline)) void push_at(struct heap_mark *m, struct sight *s,
                                                          uint64_t object)
{
    if (object - s->low >= s->span || (object & 7) != 0) {
        m->broken++;
        return;
    }
    if (s->moves) {
        uint64_t at = heap_resolve(m->heap, object);
        m->forwarded += at != object;
        object = at;
    }
    uint64_t bit = (object - s->low) >> 3, *word = &s->bits[bit >> 6];
    uint64_t mask = (uint64_t)1 << (bit & 63), old = *word;
    if (old & mask)
        return;
    *word = old | mask;
    if (s->top == s->limit)
        m->full = 1;
    else
        *s->top++ = object;
}

/* ZGC: writes the decoded reference back. This heap is our own copy, so later readers find plain
 * references. */
static uint64_t heal(const struct heap_mark *m, unsigned char *at, uint64_t word)
{
    uint64_t object = heap_of_word(m->heap, word);
    if (object != word)
        memcpy(at, &object, sizeof(object));
    return object;
}

/* Pushes `count` references that lie side by side. */
static inline __attribute__((always_inline)) void push_run(struct heap_mark *m, struct sight *s,
                                                           uint64_t at, uint64_t count)
{
    const unsigned char *from = (const unsigned char *)(uintptr_t)(at + s->delta);
    if (s->reference_bytes == 4) {
        for (const unsigned char *end = from + count * 4; from < end; from += 4) {
            uint32_t narrow;
            memcpy(&narrow, from, sizeof(narrow));
            if (narrow != 0)
                push_at(m, s, s->base + ((uint64_t)narrow << s->shift));
        }
        return;
    }
    for (const unsigned char *end = from + count * 8; from < end; from += 8) {
        uint64_t object;
        memcpy(&object, from, sizeof(object));
        if (s->heals && object != 0)
            object = heal(m, (unsigned char *)(uintptr_t)from, object);
        if (object != 0)
            push_at(m, s, object);
    }
}

/* Like push_at(), for calls that are rare. */
static void push(struct heap_mark *m, uint64_t object)
{
    struct sight s = sight_of(m);
    if (object != 0)
        push_at(m, &s, object);
    m->stack_used = (uint64_t)(s.top - m->stack);
}

/* Visits a class of which an object was met, its superclasses, and the classes of its flat values:
 * marks their mirrors, and the constants that only the VM's own structs reference. */
static void visit_class(struct heap_mark *m, struct heap_class *k)
{
    for (; k && !k->is_visited; k = k->array.listed ? k->array.listed : k->super) {
        k->is_visited = true;
        push(m, k->mirror);
        push(m, k->resolved);
        if (k->array.element)
            visit_class(m, k->array.element);
        for (uint32_t i = 0; i < k->field_count; i++) {
            if (k->fields[i].flat)
                visit_class(m, k->fields[i].flat);
        }
    }
}

static void push_statics(struct heap_mark *m, uint64_t mirror)
{
    struct heap_class *k = heap_class_of_mirror(m->classes, mirror);
    if (!k)
        return;
    visit_class(m, k);
    for (uint32_t i = 0; i < k->static_count; i++) {
        if (k->statics[i].type == HEAP_OBJECT &&
            heap_class_holds_static(m->classes, mirror, &k->statics[i]))
            push(m, heap_reference(m->heap, mirror + k->statics[i].offset));
    }
}

/* Whether an object may begin at a number of a stack. The read goes through struct mem, so a wrong
 * address does no harm. */
static bool may_be_object(const struct heap_mark *m, uint64_t word)
{
    const struct heap *h = m->heap;
    return heap_has(h, word) && (word & 7) == 0 &&
           heap_class_known(m->classes, oops_klass(&h->oops, word));
}

uint32_t heap_mark_guess(const struct heap_mark *m, uint64_t word,
                         uint64_t ret_objects[HEAP_MARK_GUESSES])
{
    const struct heap *h = m->heap;
    struct mem_view view = {.mem = h->target->mem};
    uint32_t count = 0;
    /* ZGC: after a collection has seen the stack, its references have colours as elsewhere. With
     * one generation an address is such a reference. */
    if (word >> 48 != 0 || heap_is_z_one(h))
        word = heap_of_word(h, word);
    for (int table = 0; h->collector == HEAP_ZGC && table < 2; table++) {
        /* ZGC: before that, the word may be an address from before the collection; both meanings
         * are tried */
        uint64_t moved;
        if (hs_refs_moved(&view, &h->oops.refs, word, table, &moved) && may_be_object(m, moved))
            ret_objects[count++] = moved;
    }
    if (may_be_object(m, word))
        ret_objects[count++] = word;
    return count;
}

static void push_guess(struct heap_mark *m, uint64_t word)
{
    uint64_t objects[HEAP_MARK_GUESSES];
    uint32_t count = heap_mark_guess(m, word, objects);
    for (uint32_t i = 0; i < count; i++)
        push(m, objects[i]);
}

/* Pushes the references in the frames of a virtual thread. After a collection has seen the frames,
 * a bitmap says which slots are references. Before that every slot is a guess. */
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

/* Pushes the references inside `count` flat values that lie side by side from `at` on. A flat value
 * that is null contains null references, or references that the collector follows too. */
static void push_values(struct heap_mark *m, struct sight *s, const struct heap_class *k,
                        uint64_t at, uint64_t count)
{
    const struct heap_class *value = k->array.element;
    const struct heap_oops *end = value->runs + value->run_count;
    uint64_t step = (uint64_t)1 << k->array.element_shift;
    if (value->run_count == 0)
        return;
    for (at -= value->value.payload; count > 0; count--, at += step) {
        for (const struct heap_oops *r = value->runs; r < end; r++)
            push_run(m, s, at + r->offset, r->count);
    }
}

/* Pushes the elements of an array from index `from` on. Of a long array only a piece is pushed, so
 * that the stack stays small. */
static inline __attribute__((always_inline)) void push_elements(struct heap_mark *m,
                                                                struct sight *s,
                                                                const struct heap_class *k,
                                                                uint64_t array, uint64_t from)
{
    uint64_t count = heap_array_length(m->heap, array) - from;
    if (count > PIECE && s->limit - s->top >= 2) {
        *s->top++ = from + PIECE;
        *s->top++ = array | REST;
        count = PIECE;
    }
    uint64_t at = array + k->array.header_bytes;
    if (k->kind == HEAP_FLAT_ARRAY)
        push_values(m, s, k, at + (from << k->array.element_shift), count);
    else
        push_run(m, s, at + from * s->reference_bytes, count);
}

/* Visits what few objects have: a class that is new, or references that are not instance fields. */
static void visit_more(struct heap_mark *m, struct heap_class *k, uint64_t object)
{
    if (!k->is_visited)
        visit_class(m, k);
    if (k->kind == HEAP_MIRROR)
        push_statics(m, object);
    else if (k->kind == HEAP_STACK_CHUNK && m->classes->chunk_size > 0)
        push_chunk(m, k, object);
    else if (k->ref.strength == HEAP_SOFT || k->ref.strength == HEAP_FINAL)
        push(m, heap_reference(m->heap, object + k->ref.referent));
}

static inline __attribute__((always_inline)) void visit(struct heap_mark *m, struct sight *s,
                                                        uint64_t object)
{
    uint64_t klass = heap_klass(m->heap, object);
    struct heap_class *k = heap_class_find(m->classes, klass);
    if (!k)
        k = heap_class_at(m->classes, klass);
    if (!k) {
        heap_mark_clear(m, object);
        m->broken++;
        return;
    }
    uint64_t bytes =
        k->kind == HEAP_INSTANCE ? k->bytes : heap_class_object_bytes(m->classes, k, object);
    /* an object that is larger than the heap has room for: its header is damaged */
    if (bytes > m->heap->high - object || bytes > m->bytes_max - m->bytes) {
        heap_mark_clear(m, object);
        m->broken++;
        return;
    }
    m->objects++;
    m->bytes += bytes;
    if (k->kind == HEAP_OBJECT_ARRAY || k->kind == HEAP_FLAT_ARRAY)
        push_elements(m, s, k, object, 0);
    for (const struct heap_oops *r = k->runs, *end = r + k->run_count; r < end; r++)
        push_run(m, s, object + r->offset, r->count);
    if (!k->is_visited || k->kind == HEAP_MIRROR || k->kind == HEAP_STACK_CHUNK ||
        k->ref.strength != HEAP_STRONG) {
        m->stack_used = (uint64_t)(s->top - m->stack);
        visit_more(m, k, object);
        s->top = m->stack + m->stack_used;
    }
}

/* The next object from the stack; 0: the stack is empty. */
static inline __attribute__((always_inline)) uint64_t pop(struct heap_mark *m, struct sight *s)
{
    while (s->top > m->stack) {
        uint64_t object = *--s->top;
        if ((object & REST) == 0)
            return object;
        object -= REST;
        uint64_t from = *--s->top;
        push_elements(m, s, heap_class_find(m->classes, heap_klass(m->heap, object)), object, from);
    }
    return 0;
}

/* An object that comes from the stack is prefetched and visited AHEAD turns later, when it has
 * arrived in the cache. */
void heap_mark_run(struct heap_mark *m)
{
    struct sight s = sight_of(m);
    uint64_t coming[AHEAD] = {0}, left = 0;
    for (uint32_t at = 0;; at = (at + 1) % AHEAD) {
        uint64_t object = coming[at];
        if (at == 0)
            heap_mark_go_on(m);
        coming[at] = pop(m, &s);
        if (coming[at] != 0) {
            __builtin_prefetch((const void *)(uintptr_t)(coming[at] + s.delta));
            left = AHEAD;
        } else if (left-- == 0) {
            break;
        }
        if (object != 0)
            visit(m, &s, object);
    }
    m->stack_used = 0;
}

void heap_mark_root(struct heap_mark *m, uint64_t object)
{
    push(m, object);
}

/* Whether this class lives as long as its loader, and the loader is alive. */
static int lives_with_loader(const struct heap_mark *m, const struct heap_class *k)
{
    const struct target *t = m->heap->target;
    const struct heap_classes *c = m->classes;
    uint64_t data, loader;
    if (k->kind == HEAP_OBJECT_ARRAY && k->array.element)
        return lives_with_loader(m, k->array.element);
    if (k->kind == HEAP_PRIMITIVE_ARRAY || c->facts.klass_loader_data < 0 ||
        c->facts.data_loader < 0)
        return 1;
    data = target_u8(t, k->klass + (uint64_t)c->facts.klass_loader_data);
    if (data == 0)
        return 1;
    if (c->facts.data_holder >= 0 &&
        (target_u4(t, data + (uint64_t)c->facts.data_holder) & 255) != 0)
        return 0;
    loader = target_u8(t, data + (uint64_t)c->facts.data_loader);
    if (t->layout->version >= RELEASE_MIRROR_HANDLES && loader != 0)
        loader = heap_of_word(m->heap, target_u8(t, loader));
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
            heap_mark_run(m);
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

struct heap_mark_cursor heap_mark_cursor(const struct heap_mark *m, uint64_t from, uint64_t to)
{
    if (from >= to)
        return (struct heap_mark_cursor){0};
    uint64_t first = heap_mark_bit(m, from), last = heap_mark_bit(m, to - 8);
    struct heap_mark_cursor c = {.at = &m->bits[first >> 6],
                                 .last = &m->bits[last >> 6],
                                 .last_mask = ~(uint64_t)0 >> (63 - (last & 63)),
                                 .address = m->heap->low + (first >> 6 << 9)};
    c.rest = *c.at & ~(uint64_t)0 << (first & 63);
    if (c.at == c.last)
        c.rest &= c.last_mask;
    return c;
}
