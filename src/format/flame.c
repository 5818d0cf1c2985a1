/*
 * flame.c - see flame.h.
 *
 * The page is flamegraph.html; its data is a JSON object in a <script> that is not run: title,
 * units, "frames" (a name for each label), "kinds" (a digit for each), and "nodes", the tree in
 * preorder, three numbers each: how many levels up from the node before, the label's number from 0,
 * the node's own value. "absolute" is there where the shares of both sides of a comparison are of
 * the earlier one's sum, "heat" (heat.h) where it is known when the stacks were seen.
 * Layout: docs/format/flamegraph.md. SPDX-License-Identifier: Apache-2.0
 */
#include "format/flame.h"
#include <errno.h>
#include <stdlib.h>
#include "base/sink.h"
#include "format/flamegraph_page.h"
#include "format/format.h"
#include "format/heat.h"
#include "format/json_out.h"
#include "format/stacktree.h"
#include "profile/profile.h"

/* A page that is being written. */
struct flame {
    struct stacktree *tree;
    bool is_heat_first;
    bool has_times;
    struct heat heat;  /* of `has_times` alone, like those that follow */
    uint32_t *node_of; /* by the number of an event */
    uint32_t event_room;
    uint32_t *number_of; /* by node, what the page calls it: from 1, in preorder */
    uint32_t numbered;
};

static void discard(struct flame *f)
{
    stacktree_free(f->tree);
    heat_done(&f->heat);
    free(f->node_of);
    free(f->number_of);
    free(f);
}

int flame_begin(struct format_out *o, uint32_t cells_most, bool is_heat_first)
{
    struct flame *f = calloc(1, sizeof(*f));

    if (!f)
        return -ENOMEM;
    f->tree = stacktree_new(o->profile);
    if (f->tree)
        f->tree->parts_tiers = !o->is_compared; /* the page puts them together */
    f->is_heat_first = is_heat_first;
    f->has_times = !o->is_compared && o->timed_kinds >> o->kind & 1;
    if (f->has_times)
        heat_init(&f->heat, o->first_ns, o->last_ns, cells_most);
    o->state = f;
    return f->tree ? 0 : -ENOMEM;
}

/* Remembers the node of the event that came as this number. */
static int note_node(struct flame *f, uint32_t row, uint32_t node)
{
    if (row >= f->event_room) {
        uint32_t room = row < 1024 ? 2048 : row * 2;
        uint32_t *nodes = realloc(f->node_of, (size_t)room * sizeof(*nodes));

        if (!nodes)
            return -ENOMEM;
        for (uint32_t i = f->event_room; i < room; i++)
            nodes[i] = 0;
        f->node_of = nodes;
        f->event_room = room;
    }
    f->node_of[row] = node;
    return 0;
}

int flame_add(struct format_out *o, const struct event *event)
{
    struct flame *f = o->state;
    uint64_t value = event->value[o->value];

    if (value == 0)
        return 0;
    uint32_t node = stacktree_node_of(f->tree, event);
    if (!node)
        return -ENOMEM;
    if (o->is_before)
        stacktree_node(f->tree, node)->before += value;
    else
        stacktree_node(f->tree, node)->self += value;
    return f->has_times ? note_node(f, o->row, node) : 0;
}

int flame_add_moment(struct format_out *o, uint32_t row, const struct event *event)
{
    struct flame *f = o->state;
    uint32_t node = row < f->event_room ? f->node_of[row] : 0;
    uint64_t value = event->value[o->value];

    return node && value ? heat_add(&f->heat, node, event->time_ns, value) : 0;
}

static void put_head(struct format_out *o)
{
    const struct event_type *type = &event_types[o->kind];
    enum value value = type->values[o->value];

    sink_text(o->sink, "{\"program\":");
    json_out_string(o->sink, o->profile, profile_program(o->profile));
    sink_printf(o->sink, ",\"of\":\"%s\",\"value\":\"%s\",\"unit\":\"%s\",\n", type->word,
                event_value_types[value].words, event_unit(value));
    if (o->with_tiers)
        sink_text(o->sink, "\"tiers\":true,\n");
    if (o->is_absolute)
        sink_text(o->sink, "\"absolute\":true,\n");
    if (((const struct flame *)o->state)->is_heat_first)
        sink_text(o->sink, "\"first\":\"heat\",\n");
}

static void put_labels(struct format_out *o, const struct stacktree *t)
{
    sink_text(o->sink, "\"frames\":[");
    for (uint32_t i = 1; i <= t->labels.count; i++) {
        sink_text(o->sink, i > 1 ? ",\n" : "\n");
        json_out_string(o->sink, o->profile, stacktree_label(t, i)->name);
    }
    sink_text(o->sink, "],\n\"kinds\":\"");
    for (uint32_t i = 1; i <= t->labels.count; i++)
        sink_u1(o->sink, (uint8_t)('0' + stacktree_label(t, i)->kind));
    sink_text(o->sink, "\",\n");
}

/* A node that waits for its turn, and its level from 1. */
struct waiting {
    uint32_t node, level;
};

/* The nodes that wait are a stack: the next one is the last. */
struct order {
    struct waiting *list;
    uint32_t count, room;
    uint32_t *children;
    uint32_t children_room;
};

static int push_children(struct order *order, const struct stacktree *t, struct waiting of)
{
    int64_t count = stacktree_children(t, of.node, &order->children, &order->children_room);

    if (count < 0)
        return -ENOMEM;
    if ((uint64_t)count > order->room - order->count) {
        uint32_t room = (order->count + (uint32_t)count) * 2;
        struct waiting *list = realloc(order->list, (size_t)room * sizeof(*list));

        if (!list)
            return -ENOMEM;
        order->list = list;
        order->room = room;
    }
    while (count > 0)
        order->list[order->count++] = (struct waiting){order->children[--count], of.level + 1};
    return 0;
}

/* What is written of a node. */
typedef void node_writer(struct flame *f, struct sink *s, uint32_t node, uint32_t up);

/* Calls `put` for each node in preorder, with the levels to go up from the one before. */
static int walk(struct format_out *o, struct flame *f, node_writer *put)
{
    struct order order = {0};
    struct waiting at = {0, 0};
    int r = push_children(&order, f->tree, at);
    const char *before = "\n";

    while (r == 0 && order.count > 0) {
        uint32_t level_before = at.level;

        at = order.list[--order.count];
        sink_text(o->sink, before);
        put(f, o->sink, at.node, level_before + 1 - at.level);
        before = ",\n";
        r = push_children(&order, f->tree, at);
    }
    free(order.list);
    free(order.children);
    return r;
}

static void put_node(struct flame *f, struct sink *s, uint32_t id, uint32_t up)
{
    const struct stacktree_node *node = stacktree_node(f->tree, id);

    sink_printf(s, "%u,%u,%llu", up, node->label - 1, (unsigned long long)node->self);
    if (f->number_of)
        f->number_of[id] = ++f->numbered;
}

static void put_before(struct flame *f, struct sink *s, uint32_t id, uint32_t up)
{
    (void)up;
    sink_printf(s, "%llu", (unsigned long long)stacktree_node(f->tree, id)->before);
}

/* "before" is there where something is compared, "heat" where times are known. */
static int put_nodes(struct format_out *o, struct flame *f)
{
    if (f->has_times) {
        f->number_of = calloc(f->tree->nodes.count + (size_t)1, sizeof(*f->number_of));
        if (!f->number_of)
            return -ENOMEM;
    }
    sink_text(o->sink, "\"nodes\":[");
    int r = walk(o, f, put_node);
    sink_text(o->sink, "]");
    if (r == 0 && o->is_compared) {
        sink_text(o->sink, ",\n\"before\":[");
        r = walk(o, f, put_before);
        sink_text(o->sink, "]");
    }
    if (r == 0 && f->has_times) {
        sink_text(o->sink, ",\n\"heat\":");
        r = heat_put(&f->heat, o->sink, f->number_of, f->tree->nodes.count);
    }
    sink_text(o->sink, "}\n");
    return r;
}

int flame_end(struct format_out *o)
{
    struct flame *f = o->state;
    int r = f && f->tree ? 0 : -ENOMEM;

    if (!f)
        return 0;
    if (r == 0) {
        sink_bytes(o->sink, flamegraph_page_head, flamegraph_page_head_len);
        put_head(o);
        put_labels(o, f->tree);
        r = put_nodes(o, f);
        sink_bytes(o->sink, flamegraph_page_tail, flamegraph_page_tail_len);
    }
    discard(f);
    o->state = NULL;
    return r;
}
