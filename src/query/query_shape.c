/*
 * query_shape.c - see query_shape.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_shape.h"
#include <stddef.h>
#include <string.h>
#include "jfr/jfr_type.h"

static bool is_named(const struct jfr_type *type)
{
    int name = jfr_type_find(type, "name");
    return name >= 0 && !type->fields[name].is_array;
}

enum query_shape query_shape_of(const struct jfr_field *f)
{
    static const struct {
        const char *type;
        enum query_shape cell;
    } rows[] = {{"java.lang.Thread", QUERY_SHAPE_THREAD},
                {"java.lang.Class", QUERY_SHAPE_CLASS},
                {"jdk.types.StackTrace", QUERY_SHAPE_STACK},
                {"jdk.types.Method", QUERY_SHAPE_METHOD},
                {"jdk.types.ClassLoader", QUERY_SHAPE_LOADER}};
    if (!f->type || f->type->kind == JFR_UNKNOWN)
        return QUERY_SHAPE_NONE;
    if (f->is_array)
        return QUERY_SHAPE_LIST;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && f->type->kind == JFR_STRUCT; i++)
        if (strcmp(f->type->known_as ? f->type->known_as : f->type->name, rows[i].type) == 0)
            return rows[i].cell;
    const struct jfr_field *simple = jfr_type_simple_field(f->type);
    if (simple)
        return simple->is_array || simple == f ? QUERY_SHAPE_TEXT : query_shape_of(simple);
    switch (f->type->kind) {
    case JFR_STRING:
        return QUERY_SHAPE_TEXT;
    case JFR_FLOAT:
    case JFR_DOUBLE:
        return QUERY_SHAPE_REAL;
    case JFR_STRUCT:
        return f->is_pooled && is_named(f->type) ? QUERY_SHAPE_NAMED : QUERY_SHAPE_PARTS;
    default:
        return QUERY_SHAPE_NUMBER;
    }
}

const char *query_shape_type(enum query_shape cell)
{
    return cell == QUERY_SHAPE_NUMBER || cell == QUERY_SHAPE_STACK || cell == QUERY_SHAPE_THREAD_ID
               ? "INTEGER"
           : cell == QUERY_SHAPE_REAL ? "REAL"
                                      : "TEXT";
}

bool query_shape_needs_constants(const struct jfr_field *f)
{
    enum query_shape cell = query_shape_of(f);
    return f->is_pooled || (cell != QUERY_SHAPE_NUMBER && cell != QUERY_SHAPE_REAL);
}
