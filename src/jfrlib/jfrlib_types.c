/*
 * jfrlib_types.c - types and fields: hprof_jfr_type_*(), hprof_jfr_field_*(); see jfrlib_types.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrlib/jfrlib_types.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "jfr/jfr_filter.h"

static size_t bytes_of(const struct jfr_metadata *m)
{
    return ((size_t)m->type_count + 1) * (sizeof(uint32_t) + sizeof(bool));
}

static bool is_wanted(const struct hprof_jfr *h, const struct jfr_type *type)
{
    return !h->wanted || jfr_filter_names(h->wanted, type->name) ||
           (type->known_as != type->name && jfr_filter_names(h->wanted, type->known_as));
}

int jfrlib_types_begin(struct hprof_jfr *h)
{
    const struct jfr_metadata *m = &h->file.chunk.metadata;
    struct jfrlib_types *t = &h->types;
    if (!jfr_budget_take(&h->budget, bytes_of(m)))
        return -ENOMEM;
    t->events = calloc((size_t)m->type_count + 1, sizeof(*t->events));
    t->wanted = calloc((size_t)m->type_count + 1, sizeof(*t->wanted));
    h->has_chunk = true;
    if (!t->events || !t->wanted)
        return -ENOMEM;
    for (uint32_t i = 0; i < m->type_count; i++)
        if (jfr_type_is_event(&m->types[i])) {
            t->events[t->count++] = i;
            t->wanted[i] = is_wanted(h, &m->types[i]);
        }
    return 0;
}

void jfrlib_types_done(struct hprof_jfr *h)
{
    if (!h->has_chunk)
        return;
    jfr_budget_give(&h->budget, bytes_of(&h->file.chunk.metadata));
    free(h->types.events);
    free(h->types.wanted);
    h->types = (struct jfrlib_types){0};
    h->has_chunk = false;
}

size_t hprof_jfr_type_count(const struct hprof_jfr *h)
{
    return h ? h->types.count : 0;
}

const struct hprof_jfr_type *hprof_jfr_type_at(const struct hprof_jfr *h, size_t number)
{
    return h && number < h->types.count
               ? jfrlib_types_out(&h->file.chunk.metadata.types[h->types.events[number]])
               : NULL;
}

const struct hprof_jfr_type *hprof_jfr_type_find(const struct hprof_jfr *h, const char *name)
{
    return h && h->has_chunk && name
               ? jfrlib_types_out(jfr_metadata_named(&h->file.chunk.metadata, name))
               : NULL;
}

const char *hprof_jfr_type_name(const struct hprof_jfr_type *type)
{
    return type ? jfrlib_types_in(type)->known_as : NULL;
}

uint64_t hprof_jfr_type_id(const struct hprof_jfr_type *type)
{
    return type ? jfrlib_types_in(type)->id : 0;
}

bool hprof_jfr_type_is_event(const struct hprof_jfr_type *type)
{
    return type && jfr_type_is_event(jfrlib_types_in(type));
}

const char *hprof_jfr_type_label(const struct hprof_jfr_type *type)
{
    return hprof_jfr_type_annotation(type, "jdk.jfr.Label", "value");
}

const char *hprof_jfr_type_category(const struct hprof_jfr_type *type, size_t number)
{
    return type && number < UINT32_MAX
               ? jfr_filter_category(jfrlib_types_in(type), (unsigned)number)
               : NULL;
}

const char *hprof_jfr_type_annotation(const struct hprof_jfr_type *type, const char *annotation,
                                      const char *key)
{
    return type && annotation && key
               ? jfr_type_annotation(&jfrlib_types_in(type)->annotations, annotation, key)
               : NULL;
}

size_t hprof_jfr_type_field_count(const struct hprof_jfr_type *type)
{
    return type ? jfrlib_types_in(type)->field_count : 0;
}

const struct hprof_jfr_field *hprof_jfr_type_field(const struct hprof_jfr_type *type, size_t number)
{
    return type && number < jfrlib_types_in(type)->field_count
               ? jfrlib_types_field_out(&jfrlib_types_in(type)->fields[number])
               : NULL;
}

const struct hprof_jfr_field *hprof_jfr_type_field_named(const struct hprof_jfr_type *type,
                                                         const char *name)
{
    int number = type && name ? jfr_type_find(jfrlib_types_in(type), name) : -1;
    return number >= 0 ? hprof_jfr_type_field(type, (size_t)number) : NULL;
}

const char *hprof_jfr_field_name(const struct hprof_jfr_field *field)
{
    return field ? jfrlib_types_field_in(field)->name : NULL;
}

const char *hprof_jfr_field_label(const struct hprof_jfr_field *field)
{
    return field ? jfrlib_types_field_in(field)->label : NULL;
}

const char *hprof_jfr_field_type_name(const struct hprof_jfr_field *field)
{
    return hprof_jfr_type_name(hprof_jfr_field_type(field));
}

const struct hprof_jfr_type *hprof_jfr_field_type(const struct hprof_jfr_field *field)
{
    return field ? jfrlib_types_out(jfrlib_types_field_in(field)->type) : NULL;
}

enum hprof_jfr_content hprof_jfr_field_content(const struct hprof_jfr_field *field)
{
    const struct jfr_field *f = field ? jfrlib_types_field_in(field) : NULL;
    if (!f)
        return HPROF_JFR_PLAIN;
    if (f->content != JFR_PLAIN)
        return f->content >= JFR_TICKS_STAMP ? HPROF_JFR_TIME : HPROF_JFR_SPAN;
    bool is_rate = f->marks & JFR_FREQUENCY;
    if (f->marks & JFR_BYTES_AMOUNT)
        return is_rate ? HPROF_JFR_BYTE_RATE : HPROF_JFR_BYTES;
    if (f->marks & JFR_BITS_AMOUNT)
        return is_rate ? HPROF_JFR_BIT_RATE : HPROF_JFR_BITS;
    return is_rate                     ? HPROF_JFR_HERTZ
           : f->marks & JFR_PERCENTAGE ? HPROF_JFR_SHARE
           : f->marks & JFR_ADDRESS    ? HPROF_JFR_ADDRESS
                                       : HPROF_JFR_PLAIN;
}

bool hprof_jfr_field_is_array(const struct hprof_jfr_field *field)
{
    return field && jfrlib_types_field_in(field)->is_array;
}

bool hprof_jfr_field_is_unsigned(const struct hprof_jfr_field *field)
{
    return field && jfrlib_types_field_in(field)->marks & JFR_UNSIGNED;
}

const char *hprof_jfr_field_annotation(const struct hprof_jfr_field *field, const char *annotation,
                                       const char *key)
{
    return field && annotation && key
               ? jfr_type_annotation(&jfrlib_types_field_in(field)->annotations, annotation, key)
               : NULL;
}
