/*
 * graph_class.c - the classes of a graph, asked by number or by name.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include "heap/graph.h"
#include "heap/graph_parts.h"

const struct graph_class_info *graph_class_at(const struct graph *g, graph_class klass)
{
    return &g->classes.infos[klass];
}

graph_class graph_class_named(const struct graph *g, const char *name)
{
    for (uint64_t i = 0; i < g->classes.rows.count; i++)
        if (strcmp(g->classes.infos[i].name, name) == 0)
            return (graph_class)i;
    return GRAPH_NO_CLASS;
}

bool graph_class_is_a(const struct graph *g, graph_class klass, graph_class ancestor)
{
    /* A damaged file may have a ring of classes. */
    for (uint64_t steps = 0; klass != GRAPH_NO_CLASS && steps < g->classes.rows.count; steps++) {
        if (klass == ancestor)
            return true;
        klass = g->classes.infos[klass].super;
    }
    return false;
}
