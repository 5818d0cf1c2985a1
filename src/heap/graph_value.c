/*
 * graph_value.c - single values of objects, read from the file.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include "base/err.h"
#include "heap/graph.h"
#include "heap/graph_parts.h"

/* The field that is looked for. */
struct wanted {
    const char *name;
    struct graph_value *value;
    bool is_found;
};

static bool take_field(void *with, const struct graph_field *field, graph_class declared_in,
                       const struct graph_value *value)
{
    struct wanted *w = with;
    if (strcmp(field->name, w->name) != 0)
        return true;
    *w->value = *value;
    w->is_found = true;
    return false;
}

int graph_value_of(struct graph *g, graph_object object, const char *field,
                   struct graph_value *ret_value)
{
    struct wanted w = {.name = field, .value = ret_value};
    int error = graph_each_field(g, object, take_field, &w);
    if (error < 0)
        return error;
    return w.is_found ? 0 : E_NOT_FOUND;
}

int graph_value_elements(struct graph *g, graph_object array, uint64_t first, size_t count,
                         struct graph_value *ret_values)
{
    struct graph_info info;
    int error = graph_look(g, array, &info);
    if (error < 0)
        return error;
    if (info.kind != GRAPH_OBJECT_ARRAY && info.kind != GRAPH_PRIMITIVE_ARRAY)
        return E_UNSUPPORTED;
    unsigned bytes = dumpscan_type_bytes(info.element_type, g->head.id_bytes);
    if (first > info.count || count > info.count - first || bytes == 0 ||
        (first + count) * bytes > info.bytes)
        return E_RANGE;
    for (size_t i = 0; i < count; i++)
        if (!graph_each_value(g, &g->look, info.at + (first + i) * bytes, info.element_type,
                              &ret_values[i]))
            return g->look.error < 0 ? g->look.error : E_TRUNCATED;
    return 0;
}

const unsigned char *graph_value_see(struct graph *g, uint64_t at, size_t bytes)
{
    /* Most objects that are asked for are those on which a walk stands, or lie near it. */
    bool is_near = at >= g->scan.at && at - g->scan.at < g->scan.len &&
                   g->scan.len - (at - g->scan.at) >= bytes;
    return heapinput_see(is_near ? &g->scan : &g->look, at, bytes);
}
