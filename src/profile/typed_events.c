/*
 * typed_events.c - see typed_events.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/typed_events.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"

enum { NAME = 512 };

void typed_events_init(struct typed_events *t, struct arena *arena,
                       const struct lookup_key *hash_key)
{
    *t = (struct typed_events){.arena = arena, .hash_key = hash_key};
    table_init(&t->types, sizeof(struct typed_type));
}

uint32_t typed_events_count(const struct typed_events *t)
{
    return t->types.count;
}

struct typed_type *typed_events_at(const struct typed_events *t, uint32_t number)
{
    return table_at(&t->types, number);
}

const struct typed_event *typed_events_kept(const struct typed_type *type, uint32_t number)
{
    return table_at(&type->kept, number);
}

static bool has_fields(const struct custom_type *x, const struct custom_type *y)
{
    bool is_same = x->field_count == y->field_count;
    for (uint32_t i = 0; i < x->field_count && is_same; i++)
        is_same = x->fields[i].sort == y->fields[i].sort &&
                  x->fields[i].unit == y->fields[i].unit &&
                  strcmp(x->fields[i].name, y->fields[i].name) == 0 &&
                  strcmp(x->fields[i].label, y->fields[i].label) == 0;
    return is_same;
}

/* Whether `name` is `of`, or `of` with "#" and a number. */
static bool is_named(const char *name, const char *of)
{
    size_t len = strlen(of);
    return strncmp(name, of, len) == 0 && (name[len] == '\0' || name[len] == '#');
}

static const char *copy_text(struct typed_events *t, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = arena_alloc(t->arena, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static const struct custom_field *copy_fields(struct typed_events *t,
                                              const struct custom_type *type)
{
    struct custom_field *fields =
        arena_alloc(t->arena, (type->field_count + (size_t)1) * sizeof(*fields));
    for (uint32_t i = 0; fields && i < type->field_count; i++) {
        fields[i] = type->fields[i];
        fields[i].name = copy_text(t, type->fields[i].name);
        fields[i].label = copy_text(t, type->fields[i].label);
        if (!fields[i].name || !fields[i].label)
            return NULL;
    }
    return fields;
}

static uint32_t hash_of(const struct typed_events *t, const char *name)
{
    return lookup_hash(t->hash_key, name, strlen(name));
}

/* Adds a type; `before` other types have its name. */
static struct typed_type *add_type(struct typed_events *t, const struct custom_type *type,
                                   unsigned before)
{
    struct custom_type copy = *type;
    char name[NAME];
    snprintf(name, sizeof(name), before ? "%s#%u" : "%s", type->name, before + 1);
    copy.number = t->types.count;
    copy.name = copy_text(t, name);
    copy.label = copy_text(t, type->label);
    copy.about = copy_text(t, type->about);
    copy.category = copy_text(t, type->category);
    copy.fields = copy_fields(t, type);
    bool is_whole = copy.name && copy.label && copy.about && copy.category && copy.fields &&
                    before < TYPED_EVENTS_VARIANTS && lookup_reserve(&t->by_name, t->arena);
    struct typed_type *row = is_whole ? table_add(&t->types, t->arena) : NULL;
    if (!row) {
        t->lost++;
        return NULL;
    }
    lookup_add(&t->by_name, hash_of(t, type->name), t->types.count);
    row->type = copy;
    row->stride = 1;
    table_init(&row->kept,
               sizeof(struct typed_event) + copy.field_count * sizeof(union custom_value));
    return row;
}

struct typed_type *typed_events_type(struct typed_events *t, const struct custom_type *type,
                                     uint32_t kinds)
{
    struct typed_type *row;
    uint32_t hash = hash_of(t, type->name), at = hash, number;
    unsigned before = 0;
    while ((number = lookup_next(&t->by_name, hash, &at)) != 0) {
        row = typed_events_at(t, number);
        if (!is_named(row->type.name, type->name))
            continue;
        if (row->kinds == kinds && has_fields(&row->type, type))
            return row;
        before++;
    }
    row = add_type(t, type, before);
    if (row)
        row->kinds = kinds;
    return row;
}

static int compare(const void *left, const void *right)
{
    uint64_t x = *(const uint64_t *)left, y = *(const uint64_t *)right;
    return x < y ? -1 : x > y;
}

/* The median of the durations that are kept. Returns false if there is no memory. */
static bool find_median(const struct typed_type *type, uint64_t *ret_ns)
{
    uint32_t count = type->kept.count;
    uint64_t *all = malloc(count * sizeof(*all));
    if (!all)
        return false;
    for (uint32_t i = 0; i < count; i++)
        all[i] = typed_events_kept(type, i + 1)->duration_ns;
    qsort(all, count, sizeof(*all), compare);
    *ret_ns = all[count / 2];
    free(all);
    return true;
}

/* Removes about half of the kept events. */
static bool thin(struct typed_type *type)
{
    uint64_t bound_ns, equal = 0;
    uint32_t kept = 0;
    if (!find_median(type, &bound_ns))
        return false;
    for (uint32_t i = 1; i <= type->kept.count; i++) {
        const struct typed_event *event = typed_events_kept(type, i);
        if (event->duration_ns > bound_ns || (event->duration_ns == bound_ns && equal++ % 2 == 0))
            memmove(table_at(&type->kept, ++kept), event, type->kept.row_bytes);
    }
    type->kept.count = kept;
    type->stride = bound_ns > type->bound_ns ? 2 : type->stride * 2;
    type->bound_ns = bound_ns;
    type->equal = 0;
    return true;
}

/* Whether an event with this duration would be kept so far. */
static bool passes(struct typed_type *type, uint64_t duration_ns)
{
    if (duration_ns == type->bound_ns)
        return type->equal++ % type->stride == 0;
    return duration_ns > type->bound_ns;
}

struct typed_event *typed_events_add(struct typed_events *t, struct typed_type *type,
                                     uint64_t time_ns, uint64_t duration_ns)
{
    type->count++;
    t->kinds |= type->kinds;
    if (t->first_ns == 0 || time_ns < t->first_ns)
        t->first_ns = time_ns;
    if (!passes(type, duration_ns))
        return NULL;
    if (type->kept.count == TYPED_EVENTS_KEPT && (!thin(type) || !passes(type, duration_ns)))
        return NULL;
    struct typed_event *event = table_add(&type->kept, t->arena);
    if (!event) {
        t->lost++;
        return NULL;
    }
    *event = (struct typed_event){.time_ns = time_ns, .duration_ns = duration_ns, .trace = 1};
    return event;
}
