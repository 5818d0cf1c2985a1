/*
 * graph_thread.c - threads and their frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"
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

int graph_each_frame(struct graph *g, uint32_t trace, graph_visit_frame *visit, void *with)
{
    const struct dumpnames_trace *row = dumpnames_trace(&g->names, trace);
    if (!row)
        return E_NOT_FOUND;
    for (uint32_t i = 0; i < row->count; i++) {
        uint64_t at = row->at + (uint64_t)i * g->head.id_bytes;
        const unsigned char *b = heapinput_see(&g->look, at, g->head.id_bytes);
        if (!b)
            return g->look.error < 0 ? g->look.error : E_TRUNCATED;
        uint64_t id = g->head.id_bytes == 8 ? be_8(b) : be_4(b);
        const struct dumpnames_frame *f = dumpnames_frame(&g->names, id);
        if (!f)
            continue;
        const struct dumpnames_class *k = dumpnames_class_by_serial(&g->names, f->class_serial);
        graph_class klass = k ? heapclass_find(&g->classes, k->id) : GRAPH_NO_CLASS;
        struct graph_frame frame = {.class_name = klass != GRAPH_NO_CLASS
                                                      ? g->classes.infos[klass].name
                                                  : k ? dumpnames_text(&g->names, &g->look, k->name)
                                                      : "",
                                    .method = dumpnames_text(&g->names, &g->look, f->method),
                                    .signature = dumpnames_text(&g->names, &g->look, f->signature),
                                    .source = dumpnames_text(&g->names, &g->look, f->source),
                                    .line = f->line};
        if (!visit(with, i, &frame))
            return 0;
    }
    return 0;
}
