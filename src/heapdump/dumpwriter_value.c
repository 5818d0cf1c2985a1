/*
 * dumpwriter_value.c - see dumpwriter_value.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapdump/dumpwriter_value.h"
#include "base/err.h"
#include "heapdump/dumpwriter_id.h"

enum { PIECE = 512 }; /* elements written in one call */

/* The first id after that of the last place in the heap. */
static uint64_t id_base(const struct dumpwriter *w)
{
    return dumpwriter_id_of(w, w->heap->high);
}

static uint64_t take_ids(struct dumpwriter *w, uint64_t count)
{
    return id_base(w) + __atomic_fetch_add(w->value_ids, count, __ATOMIC_RELAXED);
}

int dumpwriter_value_check_ids(struct dumpwriter *w)
{
    if (w->out->id_bytes == 8 || id_base(w) + *w->value_ids <= UINT32_MAX)
        return 0;
    w->why = "the heap has too many flat values for ids of 4 bytes";
    return E_LIMIT;
}

/* ---- fields */

/* Whether field number `i` of the instance is a flat value that is not null. */
static bool has_value(const struct dumpwriter *w, const struct dumpwriter_class *c, uint32_t i,
                      uint64_t object)
{
    const struct dumpwriter_flat *f = &c->flats[i];
    return f->value && f->value->user &&
           !(f->is_nullable &&
             heap_class_value_is_null(w->heap, f->value, object + c->out.values[i].offset));
}

static uint64_t count_fields(const struct dumpwriter *w, const struct dumpwriter_class *c,
                             uint64_t object)
{
    uint64_t count = 0;
    for (uint32_t i = 0; c->flats && i < c->out.value_count; i++)
        count += has_value(w, c, i, object);
    return count;
}

uint64_t dumpwriter_value_fill(struct dumpwriter *w, const struct dumpwriter_class *c,
                               uint64_t object)
{
    const struct hprof_heap_value *v = c->out.values;
    uint64_t first = c->flats ? take_ids(w, count_fields(w, c, object)) : 0, next = first;
    for (uint32_t i = 0; i < c->out.value_count; i++) {
        if (v[i].is_zeroed)
            w->values[i] = 0;
        else if (!c->flats || !c->flats[i].value)
            w->values[i] =
                dumpwriter_id_or_value(w, (enum hprof_heap_type)v[i].type, object + v[i].offset);
        else
            w->values[i] = has_value(w, c, i, object) ? next++ : 0;
    }
    return first;
}

/* Writes a flat value, and the values inside it. This ends, because a value class cannot contain
 * itself. */
static void write_value(struct dumpwriter *w, const struct heap_class *k, uint64_t payload,
                        uint64_t id, uint32_t trace)
{
    const struct dumpwriter_class *c = k->user;
    struct hprof_heap_object o = {.id = id, .trace = trace, .klass = &c->out};
    uint64_t object = payload - k->value.payload, first = dumpwriter_value_fill(w, c, object);
    w->out->ops->instance(w->out, &o, w->values);
    w->objects++;
    dumpwriter_value_write(w, c, object, first, trace);
}

void dumpwriter_value_write(struct dumpwriter *w, const struct dumpwriter_class *c, uint64_t object,
                            uint64_t first_id, uint32_t trace)
{
    for (uint32_t i = 0; c->flats && i < c->out.value_count; i++) {
        if (has_value(w, c, i, object))
            write_value(w, c->flats[i].value, object + c->out.values[i].offset, first_id++, trace);
    }
}

/* ---- elements */

static uint64_t element_at(const struct heap_class *k, uint64_t array, uint32_t index)
{
    return array + k->array.header_bytes + ((uint64_t)index << k->array.element_shift);
}

static bool has_element(const struct dumpwriter *w, const struct heap_class *k, uint64_t array,
                        uint32_t index)
{
    const struct heap_class *value = k->array.element;
    return value->user && !(k->array.is_nullable &&
                            heap_class_value_is_null(w->heap, value, element_at(k, array, index)));
}

static uint64_t count_elements(const struct dumpwriter *w, const struct heap_class *k,
                               uint64_t array)
{
    uint32_t length = heap_array_length(w->heap, array);
    uint64_t count = 0;
    for (uint32_t i = 0; i < length; i++)
        count += has_element(w, k, array, i);
    return count;
}

void dumpwriter_value_array(struct dumpwriter *w, const struct heap_class *k, uint64_t array,
                            const struct hprof_heap_object *o)
{
    uint32_t length = heap_array_length(w->heap, array);
    uint64_t ids[PIECE], next = take_ids(w, count_elements(w, k, array)), id = next;
    w->out->ops->objects(w->out, o, length);
    uint32_t done = 0;
    do {
        uint32_t n = length - done < PIECE ? length - done : PIECE;
        for (uint32_t i = 0; i < n; i++)
            ids[i] = has_element(w, k, array, done + i) ? next++ : 0;
        w->out->ops->elements(w->out, ids, n);
        done += n;
    } while (done < length);
    for (uint32_t i = 0; i < length; i++) {
        if (has_element(w, k, array, i))
            write_value(w, k->array.element, element_at(k, array, i), id++, o->trace);
    }
}

/* ---- counting */

static uint64_t count_in_fields(const struct dumpwriter *w, const struct dumpwriter_class *c,
                                uint64_t object)
{
    uint64_t count = 0;
    for (uint32_t i = 0; c->flats && i < c->out.value_count; i++) {
        const struct heap_class *value = c->flats[i].value;
        if (has_value(w, c, i, object))
            count += 1 + count_in_fields(w, value->user,
                                         object + c->out.values[i].offset - value->value.payload);
    }
    return count;
}

static uint64_t count_in_array(const struct dumpwriter *w, const struct heap_class *k,
                               uint64_t array)
{
    const struct heap_class *value = k->array.element;
    uint32_t length = heap_array_length(w->heap, array);
    uint64_t count = 0;
    for (uint32_t i = 0; i < length; i++) {
        if (has_element(w, k, array, i))
            count +=
                1 + count_in_fields(w, value->user, element_at(k, array, i) - value->value.payload);
    }
    return count;
}

uint64_t dumpwriter_value_count(const struct dumpwriter *w)
{
    uint64_t count = 0, object;
    for (uint32_t i = 0; i < w->find->range_count; i++) {
        const struct heap_range *r = &w->find->ranges[i];
        struct heap_mark_cursor cursor = heap_mark_cursor(&w->find->mark, r->bottom, r->top);
        while ((object = heap_mark_cursor_next(&cursor)) != 0) {
            const struct heap_class *k =
                heap_class_find(&w->find->classes, heap_klass(w->heap, object));
            if (!k || !k->user)
                continue;
            count += k->kind == HEAP_FLAT_ARRAY   ? count_in_array(w, k, object)
                     : k->array.header_bytes == 0 ? count_in_fields(w, k->user, object)
                                                  : 0;
        }
    }
    return count;
}
