/*
 * graph_each.c - walks over objects, references and fields.
 *
 * Visitors may move the windows of the graph, so that no walk keeps a pointer into a window while
 * it calls one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/diag.h"
#include "base/err.h"
#include "heap/graph.h"
#include "heap/graph_parts.h"

enum { ADVANCE = 1 << 16 };

/* A walk over the references of one object. */
struct edges {
    struct graph *g;
    struct heapwindow *window;
    const struct graph_info *from;
    graph_visit_edge *visit;
    void *with;
    bool is_over; /* the visitor wants no more */
};

static uint64_t read_id(struct graph *g, struct heapwindow *w, uint64_t at)
{
    const unsigned char *b = heapinput_see(w, at, g->head.id_bytes);
    if (!b)
        return 0;
    return g->head.id_bytes == 8 ? be_8(b) : be_4(b);
}

static void tell(struct edges *e, graph_object to, struct graph_edge edge)
{
    if (to == GRAPH_NONE || e->is_over)
        return;
    edge.from = e->from->number;
    edge.to = to;
    if (!edge.name)
        edge.name = "";
    if (edge.kind != GRAPH_EDGE_FIELD && edge.kind != GRAPH_EDGE_STATIC)
        edge.klass = GRAPH_NO_CLASS;
    e->is_over = !e->visit(e->with, &edge);
}

static void tell_class(struct edges *e)
{
    if (e->from->klass != GRAPH_NO_CLASS && !e->g->options.skips_classes)
        tell(e, e->g->classes.infos[e->from->klass].object,
             (struct graph_edge){.kind = GRAPH_EDGE_CLASS});
}

static void walk_fields(struct edges *e)
{
    struct graph *g = e->g;
    uint64_t offset = 0, steps = 0, index = 0;
    graph_class k = e->from->klass;
    for (; k != GRAPH_NO_CLASS && steps < g->classes.rows.count; steps++) {
        const struct graph_class_info *info = &g->classes.infos[k];
        for (uint32_t i = 0; i < info->field_count && !e->is_over; i++, index++) {
            const struct graph_field *f = &info->fields[i];
            unsigned bytes = dumpscan_type_bytes(f->type, g->head.id_bytes);
            if (offset + bytes > e->from->bytes)
                return;
            if (f->type == GRAPH_TYPE_OBJECT)
                tell(e, graph_find(g, read_id(g, e->window, e->from->at + offset)),
                     (struct graph_edge){.kind = GRAPH_EDGE_FIELD,
                                         .index = index,
                                         .name = f->name,
                                         .klass = k,
                                         .is_weak = f->is_referent && !g->options.follows_weak});
            offset += bytes;
        }
        k = info->super;
    }
}

static void walk_elements(struct edges *e)
{
    struct graph *g = e->g;
    for (uint64_t i = 0; i < e->from->count && !e->is_over; i++)
        tell(e, graph_find(g, read_id(g, e->window, e->from->at + i * g->head.id_bytes)),
             (struct graph_edge){.kind = GRAPH_EDGE_ELEMENT, .index = i});
}

/* The items of a class object, as edges. */
struct class_items {
    struct edges *edges;
    uint32_t next_static;
};

static bool tell_item(void *with, const struct dumpscan_item *item)
{
    struct class_items *c = with;
    const struct graph_class_info *self = &c->edges->g->classes.infos[c->edges->from->self];
    bool is_object = item->type == GRAPH_TYPE_OBJECT || item->type == 1;
    if (item->kind == DUMPSCAN_CONSTANT && is_object)
        tell(c->edges, graph_find(c->edges->g, item->bits),
             (struct graph_edge){.kind = GRAPH_EDGE_OF_CLASS, .name = "<constant pool>"});
    if (item->kind == DUMPSCAN_STATIC && c->next_static < self->static_count) {
        const struct graph_field *f = &self->statics[c->next_static];
        if (is_object)
            tell(c->edges, graph_find(c->edges->g, item->bits),
                 (struct graph_edge){.kind = GRAPH_EDGE_STATIC,
                                     .index = c->next_static,
                                     .name = f->name,
                                     .klass = c->edges->from->self,
                                     .is_weak =
                                         f->is_referent && !c->edges->g->options.follows_weak});
        c->next_static++;
    }
    return !c->edges->is_over;
}

static void walk_class(struct edges *e)
{
    struct graph *g = e->g;
    const struct heapclass_row *row = heapclass_row(&g->classes, e->from->self);
    struct class_items items = {.edges = e};
    dumpscan_each_item(e->window, g->head.id_bytes, row->body_at, row->body_at + row->body_bytes,
                       tell_item, &items);
    tell(e, graph_find(g, row->ids.super), (struct graph_edge){.kind = GRAPH_EDGE_SUPER});
    tell(e, graph_find(g, row->ids.loader), (struct graph_edge){.kind = GRAPH_EDGE_LOADER});
    tell(e, graph_find(g, row->ids.signers),
         (struct graph_edge){.kind = GRAPH_EDGE_OF_CLASS, .name = "<signers>"});
    tell(e, graph_find(g, row->ids.domain),
         (struct graph_edge){.kind = GRAPH_EDGE_OF_CLASS, .name = "<protection domain>"});
}

static void walk_locals(struct edges *e)
{
    const struct graph *g = e->g;
    for (uint64_t i = 0; i < g->facts.roots && !e->is_over; i++)
        if (g->roots[i].thread == e->from->number && !graph_root_is_own(&g->roots[i]))
            tell(e, g->roots[i].object,
                 (struct graph_edge){.kind = GRAPH_EDGE_LOCAL, .index = g->roots[i].frame});
}

static bool walk_edges(struct graph *g, struct heapwindow *w, const struct graph_info *from,
                       graph_visit_edge *visit, void *with)
{
    struct edges e = {.g = g, .window = w, .from = from, .visit = visit, .with = with};
    tell_class(&e);
    if (from->kind == GRAPH_INSTANCE)
        walk_fields(&e);
    else if (from->kind == GRAPH_OBJECT_ARRAY)
        walk_elements(&e);
    else if (from->kind == GRAPH_CLASS)
        walk_class(&e);
    if (from->kind == GRAPH_INSTANCE && !e.is_over && graph_thread_of(g, from->number))
        walk_locals(&e);
    return !e.is_over;
}

int graph_each_edge(struct graph *g, graph_object from, graph_visit_edge *visit, void *with)
{
    struct graph_info info;
    int error = graph_look(g, from, &info);
    if (error < 0)
        return error;
    walk_edges(g, &g->look, &info, visit, with);
    return g->look.error;
}

int graph_each_edge_of(struct graph *g, const struct graph_info *from, graph_visit_edge *visit,
                       void *with)
{
    walk_edges(g, &g->scan, from, visit, with);
    return g->scan.error;
}

int graph_each_object(struct graph *g, graph_visit_object *visit, void *with)
{
    struct dumpscan s = graph_index_scan(g);
    struct graph_info info;
    uint64_t seen = 0;
    bool wants_more = true;
    while (wants_more && dumpscan_next(&s)) {
        if (!graph_look_is_object(s.tag) && s.tag != HEAP_RECORD_CLASS)
            continue;
        graph_object number = graph_find(g, s.r.object);
        if (number == GRAPH_NONE)
            continue;
        graph_look_record(g, &s, number, &info);
        wants_more = visit(with, &info);
        if (++seen % ADVANCE == 0 && g->options.diag)
            diag_advance(g->options.diag, g->path, s.at, g->input.bytes);
    }
    if (g->options.diag)
        diag_advance(g->options.diag, g->path, UINT64_MAX, g->input.bytes);
    return g->scan.error;
}

/* A search for the edges to some objects. */
struct search {
    struct graph *g;
    const graph_object *to;
    size_t count;
    graph_visit_edge *visit;
    void *with;
};

static bool is_wanted(const struct search *s, graph_object to)
{
    size_t low = 0, high = s->count;
    if (to < s->to[0] || to > s->to[s->count - 1])
        return false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->to[middle] < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->count && s->to[low] == to;
}

static bool search_edge(void *with, const struct graph_edge *edge)
{
    struct search *s = with;
    return !is_wanted(s, edge->to) || s->visit(s->with, edge);
}

static bool search_object(void *with, const struct graph_info *object)
{
    struct search *s = with;
    return walk_edges(s->g, &s->g->scan, object, search_edge, s);
}

int graph_each_edge_to(struct graph *g, const graph_object *to, size_t count,
                       graph_visit_edge *visit, void *with)
{
    struct search s = {.g = g, .to = to, .count = count, .visit = visit, .with = with};
    return count == 0 ? 0 : graph_each_object(g, search_object, &s);
}

static uint64_t value_bits(const unsigned char *b, enum graph_type type)
{
    switch (type) {
    case GRAPH_TYPE_BOOLEAN:
        return b[0];
    case GRAPH_TYPE_BYTE:
        return (uint64_t)(int64_t)(int8_t)b[0];
    case GRAPH_TYPE_CHAR:
        return be_2(b);
    case GRAPH_TYPE_SHORT:
        return (uint64_t)(int64_t)be_s2(b);
    case GRAPH_TYPE_INT:
        return (uint64_t)(int64_t)be_s4(b);
    case GRAPH_TYPE_FLOAT:
        return be_4(b);
    default:
        return be_8(b);
    }
}

bool graph_each_value(struct graph *g, struct heapwindow *w, uint64_t at, enum graph_type type,
                      struct graph_value *ret_value)
{
    unsigned bytes = dumpscan_type_bytes(type, g->head.id_bytes);
    const unsigned char *b = heapinput_see(w, at, bytes);
    if (!b || bytes == 0)
        return false;
    *ret_value = (struct graph_value){.type = type, .object = GRAPH_NONE};
    if (type != GRAPH_TYPE_OBJECT) {
        ret_value->bits = value_bits(b, type);
        return true;
    }
    ret_value->bits = g->head.id_bytes == 8 ? be_8(b) : be_4(b);
    ret_value->object = graph_find(g, ret_value->bits);
    return true;
}

static int each_instance_field(struct graph *g, const struct graph_info *object,
                               graph_visit_field *visit, void *with)
{
    uint64_t offset = 0, steps = 0;
    graph_class k = object->klass;
    for (; k != GRAPH_NO_CLASS && steps < g->classes.rows.count; steps++) {
        const struct graph_class_info *info = &g->classes.infos[k];
        for (uint32_t i = 0; i < info->field_count; i++) {
            struct graph_value value;
            unsigned bytes = dumpscan_type_bytes(info->fields[i].type, g->head.id_bytes);
            if (offset + bytes > object->bytes ||
                !graph_each_value(g, &g->look, object->at + offset, info->fields[i].type, &value))
                return g->look.error;
            if (!visit(with, &info->fields[i], k, &value))
                return 0;
            offset += bytes;
        }
        k = info->super;
    }
    return 0;
}

/* The static fields of a class, as values. */
struct statics {
    struct graph *g;
    graph_class self;
    graph_visit_field *visit;
    void *with;
    uint32_t next;
};

static bool tell_static(void *with, const struct dumpscan_item *item)
{
    struct statics *s = with;
    const struct graph_class_info *self = &s->g->classes.infos[s->self];
    if (item->kind != DUMPSCAN_STATIC || s->next >= self->static_count)
        return true;
    const struct graph_field *f = &self->statics[s->next++];
    struct graph_value value = {.type = f->type, .bits = item->bits, .object = GRAPH_NONE};
    unsigned bits = dumpscan_type_bytes(f->type, s->g->head.id_bytes) * 8;
    bool is_signed = f->type >= GRAPH_TYPE_BYTE;
    if (f->type == GRAPH_TYPE_OBJECT)
        value.object = graph_find(s->g, item->bits);
    else if (is_signed && bits < 64)
        value.bits = (uint64_t)((int64_t)(item->bits << (64 - bits)) >> (64 - bits));
    return s->visit(s->with, f, s->self, &value);
}

int graph_each_field(struct graph *g, graph_object object, graph_visit_field *visit, void *with)
{
    struct graph_info info;
    int error = graph_look(g, object, &info);
    if (error < 0)
        return error;
    if (info.kind == GRAPH_INSTANCE)
        return each_instance_field(g, &info, visit, with);
    if (info.kind != GRAPH_CLASS)
        return E_UNSUPPORTED;
    struct statics s = {.g = g, .self = info.self, .visit = visit, .with = with};
    dumpscan_each_item(&g->look, g->head.id_bytes, info.at, info.at + info.bytes, tell_static, &s);
    return g->look.error;
}
