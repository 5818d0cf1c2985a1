/*
 * jdwp_graph.c - what a debugger asks about all objects: instances of a type, and who refers to an
 * object.
 *
 * Only objects that can be reached count, as JDWP has it. The graph is found when the first such
 * question comes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jdwp/jdwp_answer.h"
#include <stdlib.h>
#include "heapimage/heapimage.h"
#include "snapshot/snapshot.h"

/* The graph; NULL and a failed reply: there is none. */
static struct heapimage *graph_of(struct jdwp_vm *vm, struct jdwp_wire_reply *out)
{
    struct heapimage *h = vm->graph ? vm->graph(vm->with) : NULL;
    if (!h)
        jdwp_wire_fail(out, vm->graph ? JDWP_INTERNAL : JDWP_NOT_IMPLEMENTED);
    return h;
}

/* Call `see` with each object, until it returns false. */
static void each_object(const struct heapimage *h,
                        bool (*see)(void *with, const struct heapimage *h, uint64_t object),
                        void *with)
{
    for (uint32_t i = 0; i < h->range_count; i++) {
        struct heap_mark_cursor at =
            heap_mark_cursor(&h->find.mark, h->ranges[i].bottom, h->ranges[i].top);
        for (uint64_t object; (object = heap_mark_cursor_next(&at)) != 0;) {
            if (!see(with, h, object))
                return;
        }
    }
}

/* ---- instances */

struct search {
    struct jdwp_vm *vm;
    struct jdwp_wire_reply *out;
    const struct jdwp_class *type;
    uint64_t object;
    uint32_t found, max; /* max 0: all */
};

static bool keep(struct search *s, uint64_t object)
{
    jdwp_vm_put_tagged(s->vm, s->out, object, JDWP_TAG_OBJECT);
    return ++s->found != s->max && s->out->error == JDWP_OK;
}

/* Answer with the objects that `see` keeps. */
static void answer(struct search *s,
                   bool (*see)(void *with, const struct heapimage *h, uint64_t object))
{
    size_t count_at = s->out->used;
    if (s->max > INT32_MAX)
        jdwp_wire_fail(s->out, JDWP_ILLEGAL_ARGUMENT);
    const struct heapimage *h = s->out->error == JDWP_OK ? graph_of(s->vm, s->out) : NULL;
    if (!h)
        return;
    jdwp_wire_u4(s->out, 0);
    each_object(h, see, s);
    jdwp_wire_patch(s->out, count_at, s->found);
}

static bool see_instance(void *with, const struct heapimage *h, uint64_t object)
{
    struct search *s = with;
    return jdwp_vm_class(s->vm, heap_klass(&h->heap, object)) != s->type || keep(s, object);
}

void jdwp_graph_instances(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    struct search s = {.vm = vm, .out = out, .type = c, .max = rd_u4(in)};
    answer(&s, see_instance);
}

/* The objects of each class, by its row in vm->classes. */
struct counting {
    const struct jdwp_vm *vm;
    uint64_t *counts;
};

static bool see_counted(void *with, const struct heapimage *h, uint64_t object)
{
    struct counting *c = with;
    const struct jdwp_class *of = jdwp_vm_class(c->vm, heap_klass(&h->heap, object));
    if (of)
        c->counts[of - c->vm->classes]++;
    return true;
}

void jdwp_graph_counts(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    struct counting c = {.vm = vm, .counts = calloc((size_t)vm->class_count + 1, sizeof(uint64_t))};
    uint32_t count = rd_u4(in);
    if (!c.counts) {
        jdwp_wire_fail(out, JDWP_OUT_OF_MEMORY);
        return;
    }
    if (count > rd_left(in) / JDWP_WIRE_ID)
        jdwp_wire_fail(out, JDWP_ILLEGAL_ARGUMENT);
    const struct heapimage *h = out->error == JDWP_OK ? graph_of(vm, out) : NULL;
    if (h)
        each_object(h, see_counted, &c);
    jdwp_wire_u4(out, count);
    for (uint32_t i = 0; i < count && out->error == JDWP_OK; i++) {
        const struct jdwp_class *of = jdwp_type_take(vm, in, out);
        jdwp_wire_u8(out, of ? c.counts[of - vm->classes] : 0);
    }
    free(c.counts);
}

/* ---- who refers to an object */

static bool is_at(const struct heap *h, uint64_t addr, uint64_t object)
{
    return heap_resolve(h, heap_reference(h, addr)) == object;
}

static bool has_field(const struct heap *h, const struct heap_class *k, uint64_t from,
                      uint64_t object)
{
    for (const struct heap_class *at = k; at; at = at->super) {
        for (uint32_t i = 0; i < at->field_count; i++) {
            const struct heap_field *f = &at->fields[i];
            if (f->type == HEAP_OBJECT && !f->flat && is_at(h, from + f->offset, object))
                return true;
        }
    }
    return false;
}

static bool has_element(const struct heap *h, const struct heap_class *k, uint64_t from,
                        uint64_t object)
{
    uint64_t at = from + k->array.header_bytes, count = heap_array_length(h, from);
    for (; count > 0; count--, at += h->reference_bytes) {
        if (is_at(h, at, object))
            return true;
    }
    return false;
}

static bool has_static(const struct heap_classes *c, uint64_t mirror, uint64_t object)
{
    const struct heap_class *k = heap_class_of_mirror((struct heap_classes *)(uintptr_t)c, mirror);
    for (uint32_t i = 0; k && i < k->static_count; i++) {
        const struct heap_field *f = &k->statics[i];
        if (f->type == HEAP_OBJECT && heap_class_holds_static(c, mirror, f) &&
            is_at(c->heap, mirror + f->offset, object))
            return true;
    }
    return false;
}

static bool see_referrer(void *with, const struct heapimage *image, uint64_t from)
{
    struct search *s = with;
    const struct heap *h = &image->heap;
    const struct heap_classes *classes = &image->find.classes;
    const struct heap_class *k = heap_class_find(classes, heap_klass(h, from));
    if (!k)
        return true;
    bool refers = k->kind == HEAP_OBJECT_ARRAY ? has_element(h, k, from, s->object)
                                               : has_field(h, k, from, s->object);
    if (!refers && k->kind == HEAP_MIRROR)
        refers = has_static(classes, from, s->object);
    return !refers || keep(s, from);
}

void jdwp_graph_referring(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c;
    struct search s = {.vm = vm, .out = out, .object = jdwp_object_take(vm, in, out, &c)};
    s.max = rd_u4(in);
    answer(&s, see_referrer);
}
