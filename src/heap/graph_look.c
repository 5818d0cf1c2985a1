/*
 * graph_look.c - what the file says of one object.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"
#include "heap/graph.h"
#include "heap/graph_parts.h"

static uint64_t shallow_bytes(struct graph *g, const struct graph_info *info)
{
    const struct graph_layout *l = &g->facts.layout;
    switch (info->kind) {
    case GRAPH_CLASS:
        return heapclass_object_bytes(&g->classes, info->self, l, g->options.sizes);
    case GRAPH_INSTANCE:
        return info->klass == GRAPH_NO_CLASS ? 0 : g->classes.infos[info->klass].instance_bytes;
    default:
        return heapclass_array_bytes(l, g->options.sizes, info->element_type, info->count);
    }
}

void graph_look_record(struct graph *g, const struct dumpscan *s, graph_object number,
                       struct graph_info *ret_info)
{
    struct graph_info info = {.number = number,
                              .id = s->r.object,
                              .klass = graph_look_class(g, s),
                              .self = GRAPH_NO_CLASS,
                              .count = s->r.count,
                              .trace = s->r.trace,
                              .at = s->body_at,
                              .bytes = s->body_bytes};
    switch (s->tag) {
    case HEAP_RECORD_CLASS:
        info.kind = GRAPH_CLASS;
        info.self = heapclass_look(&g->classes, s->r.object);
        info.count = 0;
        break;
    case HEAP_RECORD_INSTANCE:
        info.kind = GRAPH_INSTANCE;
        break;
    case HEAP_RECORD_OBJECTS:
        info.kind = GRAPH_OBJECT_ARRAY;
        info.element_type = GRAPH_TYPE_OBJECT;
        break;
    default:
        info.kind = GRAPH_PRIMITIVE_ARRAY;
        info.element_type = (enum graph_type)s->r.type;
        break;
    }
    info.shallow_bytes = shallow_bytes(g, &info);
    *ret_info = info;
}

bool graph_look_at(struct graph *g, uint64_t at, struct dumpscan *ret_scan)
{
    const struct dumpscan_extent *rows = (const void *)g->extents.at;
    uint64_t low = 0, high = g->extents.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (rows[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || at >= rows[low - 1].end)
        return false;
    *ret_scan = (struct dumpscan){.window = &g->look,
                                  .id_bytes = g->head.id_bytes,
                                  .tag = -1,
                                  .at = at,
                                  .end = rows[low - 1].end};
    return true;
}

/* Looks for an object in one block. */
static bool find_in_block(struct graph *g, const struct graph_block *block, uint64_t id,
                          struct dumpscan *s)
{
    if (!graph_look_at(g, block->at, s))
        return false;
    for (int i = 0; i < GRAPH_BLOCK_OBJECTS && dumpscan_next(s); i++)
        if (s->r.object == id && graph_look_is_object(s->tag))
            return true;
    return false;
}

/* Puts a walk on the record of an object that is no class. Errors: 0; E_NOT_FOUND; -errno. */
static int find_object(struct graph *g, graph_object object, struct dumpscan *ret_scan)
{
    const struct graph_block *blocks = (const void *)g->blocks.at;
    uint64_t id = graph_id(g, object), low = 0, high = g->blocks.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (blocks[middle].first <= id)
            low = middle + 1;
        else
            high = middle;
    }
    /* Blocks may overlap where the file is in no order. */
    for (uint64_t i = low; i > 0 && blocks[i - 1].reach >= id; i--)
        if (find_in_block(g, &blocks[i - 1], id, ret_scan))
            return 0;
    return g->look.error < 0 ? g->look.error : E_NOT_FOUND;
}

int graph_look(struct graph *g, graph_object object, struct graph_info *ret_info)
{
    struct dumpscan s;
    if (object >= g->map.count)
        return E_RANGE;
    graph_class self = heapclass_find(&g->classes, graph_id(g, object));
    if (self != GRAPH_NO_CLASS && heapclass_row(&g->classes, self)->has_record) {
        const struct heapclass_row *row = heapclass_row(&g->classes, self);
        s = (struct dumpscan){.tag = HEAP_RECORD_CLASS,
                              .r = {.object = row->id, .trace = row->trace},
                              .body_at = row->body_at,
                              .body_bytes = row->body_bytes};
    } else {
        int error = find_object(g, object, &s);
        if (error < 0)
            return error;
    }
    graph_look_record(g, &s, object, ret_info);
    return 0;
}
