/*
 * jfr_type.c - see jfr_type.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_type.h"
#include <string.h>
#include "jfr/jfr_text.h"

bool jfr_type_is_event(const struct jfr_type *type)
{
    return type->super && strcmp(type->super, "jdk.jfr.Event") == 0;
}

bool jfr_type_is_contextual(const struct jfr_type *type)
{
    for (uint32_t i = 0; i < type->field_count; i++)
        if (type->fields[i].marks & JFR_CONTEXTUAL)
            return jfr_type_is_event(type);
    return false;
}

const struct jfr_field *jfr_type_simple_field(const struct jfr_type *type)
{
    return type->is_simple && type->field_count == 1 ? &type->fields[0] : NULL;
}

int jfr_type_find(const struct jfr_type *type, const char *name)
{
    return jfr_type_find_part(type, name, strlen(name));
}

/* Like strcmp(), for a `part` of `len` bytes. */
static int compare(const char *whole, const char *part, size_t len)
{
    int r = strncmp(whole, part, len);
    return r != 0 ? r : whole[len] != '\0';
}

/* Binary search, because a hostile file may have a type with a hundred thousand fields. */
static int search(const struct jfr_type *type, const char *name, size_t len)
{
    uint32_t from = 0, to = type->field_count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (compare(type->fields[type->by_name[middle]].name, name, len) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from < type->field_count &&
                   compare(type->fields[type->by_name[from]].name, name, len) == 0
               ? (int)type->by_name[from]
               : -1;
}

int jfr_type_find_part(const struct jfr_type *type, const char *name, size_t len)
{
    if (type->by_name)
        return search(type, name, len);
    for (uint32_t i = 0; i < type->field_count; i++)
        if (compare(type->fields[i].name, name, len) == 0)
            return (int)i;
    return -1;
}

const char *jfr_type_annotation(const struct jfr_annotations *annotations, const char *name,
                                const char *key)
{
    for (uint32_t i = 0; i < annotations->count; i++) {
        const struct jfr_annotation *a = &annotations->rows[i];
        if (!a->type || strcmp(a->type->name, name) != 0)
            continue;
        for (uint32_t k = 0; k < a->pair_count; k++)
            if (strcmp(a->pairs[k].key, key) == 0)
                return a->pairs[k].value;
    }
    return NULL;
}

static void skip_type(const struct jfr_type *type, struct leb *l, unsigned depth);

static void skip_elements(const struct jfr_field *f, uint64_t count, struct leb *l, unsigned depth)
{
    /* Each element has at least one byte. */
    if (count > leb_left(l) || (!f->is_pooled && !f->type))
        leb_fail(l);
    else if (f->is_pooled)
        leb_skip_numbers(l, count);
    else if (f->type->kind == JFR_BYTE)
        leb_skip(l, count);
    else if (f->type->numbers > 0) /* stack frames for example, which are most of a recording */
        leb_skip_numbers(l, count * f->type->numbers);
    else
        for (; count > 0 && !l->is_bad; count--)
            skip_type(f->type, l, depth + 1);
}

static void skip_fields(const struct jfr_type *type, uint32_t count, struct leb *l, unsigned depth)
{
    if (depth > JFR_NESTING)
        leb_fail(l);
    for (uint32_t i = 0; i < count && !l->is_bad; i++) {
        const struct jfr_field *f = &type->fields[i];
        skip_elements(f, f->is_array ? leb_number(l) : 1, l, depth);
    }
}

static void skip_type(const struct jfr_type *type, struct leb *l, unsigned depth)
{
    switch (type->kind) {
    case JFR_BOOLEAN:
    case JFR_BYTE:
        leb_skip(l, 1);
        break;
    case JFR_CHAR:
    case JFR_SHORT:
    case JFR_INT:
    case JFR_LONG:
        leb_number(l);
        break;
    case JFR_FLOAT:
        leb_skip(l, 4);
        break;
    case JFR_DOUBLE:
        leb_skip(l, 8);
        break;
    case JFR_STRING:
        jfr_text_skip(l);
        break;
    case JFR_STRUCT:
        skip_fields(type, type->field_count, l, depth);
        break;
    default:
        leb_fail(l);
    }
}

void jfr_type_skip(const struct jfr_field *field, struct leb *l)
{
    const struct jfr_type one = {.kind = JFR_STRUCT, .fields = (struct jfr_field *)field};
    skip_fields(&one, 1, l, 0);
}

void jfr_type_skip_elements(const struct jfr_field *field, uint64_t count, struct leb *l)
{
    skip_elements(field, count, l, 0);
}

void jfr_type_skip_fields(const struct jfr_type *type, uint32_t count, struct leb *l)
{
    if (type->kind == JFR_STRUCT)
        skip_fields(type, count, l, 0);
    else
        skip_type(type, l, 0);
}
