/*
 * graph_thread.c - the threads of a heap.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"
#include "heap/graph.h"
#include "heap/graph_parts.h"

uint32_t graph_thread_count(const struct graph *g)
{
    return (uint32_t)g->threads.count;
}

const struct graph_thread *graph_thread_at(const struct graph *g, uint32_t index)
{
    return (const struct graph_thread *)(const void *)g->threads.at + index;
}

const struct graph_thread *graph_thread_of(const struct graph *g, graph_object object)
{
    /* A thread object is a root of this kind; others are no threads. */
    const struct graph_root *root = graph_root_of(g, object);
    for (; root && root < g->roots + g->facts.roots && root->object == object; root++) {
        uint64_t low = 0, high = g->threads.count;
        if (root->kind != GRAPH_ROOT_THREAD)
            continue;
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            if (graph_thread_at(g, (uint32_t)middle)->serial < root->thread_serial)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < g->threads.count; low++) {
            const struct graph_thread *t = graph_thread_at(g, (uint32_t)low);
            if (t->serial != root->thread_serial)
                break;
            if (t->object == object)
                return t;
        }
    }
    return NULL;
}

void graph_thread_name(struct graph *g, graph_object object, char ret_name[GRAPH_THREAD_NAME])
{
    struct graph_value name;
    struct graph_info info;
    uint64_t chars;
    ret_name[0] = '\0';
    if (graph_value_of(g, object, "name", &name) < 0 || name.object == GRAPH_NONE)
        return;
    if (graph_text(g, name.object, ret_name, GRAPH_THREAD_NAME, &chars) >= 0)
        return;
    /* Until JDK 8 the name of a thread is an array of chars. */
    ret_name[0] = '\0';
    if (graph_look(g, name.object, &info) < 0 || info.element_type != GRAPH_TYPE_CHAR)
        return;
    size_t len = 0;
    for (uint64_t i = 0; i < info.count && len + 1 < GRAPH_THREAD_NAME; i++) {
        struct graph_value c;
        if (graph_value_elements(g, name.object, i, 1, &c) < 0)
            break;
        ret_name[len++] = c.bits < 0x80 ? (char)c.bits : '?';
    }
    ret_name[len] = '\0';
}
