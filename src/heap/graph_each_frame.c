/*
 * graph_each_frame.c - the frames of a trace.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"
#include "heap/graph.h"
#include "heap/graph_parts.h"

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
