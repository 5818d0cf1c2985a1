/*
 * format_flamegraph.c - a flame graph as one HTML page that needs no network.
 *
 * The page is flamegraph.html; its data is a JSON object in a <script> that is not run: title,
 * units, "frames" (a name for each label), "kinds" (a digit for each), and "nodes", the tree in
 * preorder, three numbers each: how many levels up from the node before, the label's number from 0,
 * the node's own value. "absolute" is there where the shares of both sides of a comparison are of
 * the earlier one's sum. Written only. Layout: docs/format/flamegraph.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include "base/sink.h"
#include "format/flamegraph_page.h"
#include "format/format.h"
#include "format/json_out.h"
#include "format/stacktree.h"
#include "profile/profile.h"

static int begin(struct format_out *o)
{
    o->state = stacktree_new(o->profile);
    return o->state ? 0 : -ENOMEM;
}

static int add(struct format_out *o, const struct event *event)
{
    uint64_t value = event->value[o->value];

    if (value == 0)
        return 0;
    return o->is_before ? stacktree_add_before(o->state, event, value)
                        : stacktree_add(o->state, event, value);
}

static void put_head(struct format_out *o)
{
    const struct event_type *type = &event_types[o->kind];
    enum value value = type->values[o->value];

    sink_text(o->sink, "{\"program\":");
    json_out_string(o->sink, o->profile, profile_program(o->profile));
    sink_printf(o->sink, ",\"of\":\"%s\",\"value\":\"%s\",\"unit\":\"%s\",\n", type->word,
                event_value_types[value].words, event_unit(value));
    if (o->is_absolute)
        sink_text(o->sink, "\"absolute\":true,\n");
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

/* Calls `put` for each node in preorder, with the levels to go up from the one before. */
static int walk(struct format_out *o, const struct stacktree *t,
                void (*put)(struct sink *s, const struct stacktree_node *node, uint32_t up))
{
    struct order order = {0};
    struct waiting at = {0, 0};
    int r = push_children(&order, t, at);
    const char *before = "\n";

    while (r == 0 && order.count > 0) {
        uint32_t level_before = at.level;

        at = order.list[--order.count];
        sink_text(o->sink, before);
        put(o->sink, stacktree_node(t, at.node), level_before + 1 - at.level);
        before = ",\n";
        r = push_children(&order, t, at);
    }
    free(order.list);
    free(order.children);
    return r;
}

static void put_node(struct sink *s, const struct stacktree_node *node, uint32_t up)
{
    sink_printf(s, "%u,%u,%llu", up, node->label - 1, (unsigned long long)node->self);
}

static void put_before(struct sink *s, const struct stacktree_node *node, uint32_t up)
{
    (void)up;
    sink_printf(s, "%llu", (unsigned long long)node->before);
}

/* "before" is there where something is compared. */
static int put_nodes(struct format_out *o, const struct stacktree *t)
{
    sink_text(o->sink, "\"nodes\":[");
    int r = walk(o, t, put_node);
    if (r == 0 && o->is_compared) {
        sink_text(o->sink, "],\n\"before\":[");
        r = walk(o, t, put_before);
    }
    sink_text(o->sink, "]}\n");
    return r;
}

static int end(struct format_out *o)
{
    struct stacktree *t = o->state;
    int r;

    if (!t)
        return 0;
    sink_bytes(o->sink, flamegraph_page_head, flamegraph_page_head_len);
    put_head(o);
    put_labels(o, t);
    r = put_nodes(o, t);
    sink_bytes(o->sink, flamegraph_page_tail, flamegraph_page_tail_len);
    stacktree_free(t);
    o->state = NULL;
    return r;
}

const struct format format_flamegraph = {
    .name = "flamegraph",
    .help = "flame graph: one HTML page for any browser",
    .suffixes = ".html .htm",
    .is_picture = true,
    .compares = true,
    .begin = begin,
    .event = add,
    .end = end,
};
