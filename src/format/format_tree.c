/*
 * format_tree.c - the tree of calls as nested JSON objects, as d3's hierarchies and its flame
 * graphs take it: {"name", "value", "children"}.
 *
 * "value" is that of a node with all below it; "kind" says what its frame is. Nodes go into the
 * file while the tree is walked, with no more memory than the deepest stack. Written only.
 * Layout: docs/format/tree.md. SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include "base/sink.h"
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

    return value ? stacktree_add(o->state, event, value) : 0;
}

/* The words of kinds of labels. */
static const char *const words[STACKTREE_KINDS] = {
    [FRAME_JAVA] = "java",
    [FRAME_INTERPRETED] = "interpreted",
    [FRAME_C1] = "C1",
    [FRAME_C2] = "C2",
    [FRAME_INLINED] = "inlined",
    [FRAME_NATIVE] = "native",
    [FRAME_KERNEL] = "kernel",
    [STACKTREE_CPP] = "C++",
    [STACKTREE_OBJECT] = "object",
    [STACKTREE_THREAD] = "thread",
};

/* Of each node, from 1 on, what is in it and below. A node comes behind its parent. */
static uint64_t *sums_of(const struct stacktree *t)
{
    uint64_t *sums = calloc((size_t)t->nodes.count + 1, sizeof(*sums));

    for (uint32_t i = t->nodes.count; sums && i > 0; i--) {
        const struct stacktree_node *node = stacktree_node(t, i);

        sums[i] += node->self;
        sums[node->parent] += sums[i];
    }
    return sums;
}

/* The children of a node, by name, that have not been written. */
struct level {
    uint32_t *children;
    uint32_t count, at, room;
};

struct walk {
    const struct stacktree *tree;
    struct level *levels;
    uint32_t depth, room;
};

/* Errors: -ENOMEM. */
static int enter(struct walk *w, uint32_t node)
{
    if (w->depth == w->room) {
        uint32_t room = w->room ? w->room * 2 : 64;
        struct level *levels = realloc(w->levels, room * sizeof(*levels));

        if (!levels)
            return -ENOMEM;
        for (uint32_t i = w->room; i < room; i++)
            levels[i] = (struct level){0};
        w->levels = levels;
        w->room = room;
    }
    struct level *level = &w->levels[w->depth];
    int64_t count = stacktree_children(w->tree, node, &level->children, &level->room);

    if (count < 0)
        return -ENOMEM;
    level->count = (uint32_t)count;
    level->at = 0;
    w->depth++;
    return 0;
}

static void put_node(struct format_out *o, const struct stacktree *t, uint32_t id, uint64_t value)
{
    const struct stacktree_label *label = stacktree_label(t, stacktree_node(t, id)->label);

    sink_text(o->sink, "{\"name\":");
    json_out_string(o->sink, o->profile, label->name);
    sink_printf(o->sink, ",\"kind\":\"%s\",\"value\":%llu", words[label->kind],
                (unsigned long long)value);
}

static int put_tree(struct format_out *o, const struct stacktree *t, const uint64_t *sums)
{
    struct walk w = {.tree = t};
    int r = enter(&w, 0);

    while (r == 0 && w.depth > 0) {
        struct level *level = &w.levels[w.depth - 1];

        if (level->at == level->count) {
            sink_text(o->sink, level->count ? "]}" : "}");
            w.depth--;
            continue;
        }
        sink_text(o->sink, level->at ? ",\n" : ",\"children\":[\n");
        uint32_t node = level->children[level->at++];
        put_node(o, t, node, sums[node]);
        r = enter(&w, node);
    }
    for (uint32_t i = 0; i < w.room; i++)
        free(w.levels[i].children);
    free(w.levels);
    return r;
}

static int end(struct format_out *o)
{
    struct stacktree *t = o->state;
    const struct event_type *type = &event_types[o->kind];
    int r = -ENOMEM;

    if (!t)
        return 0;
    uint64_t *sums = sums_of(t);
    if (sums) {
        sink_printf(o->sink, "{\"name\":\"all\",\"kind\":\"%s\",\"unit\":\"%s\",\"value\":%llu",
                    event_value_types[type->values[o->value]].words,
                    event_unit(type->values[o->value]), (unsigned long long)sums[0]);
        r = put_tree(o, t, sums);
        sink_text(o->sink, "\n");
    }
    free(sums);
    stacktree_free(t);
    o->state = NULL;
    return r;
}

const struct format format_tree = {
    .name = "tree",
    .help = "tree of calls as JSON: d3, d3-flame-graph",
    .suffixes = ".tree.json .json",
    .is_picture = true,
    .begin = begin,
    .event = add,
    .end = end,
};
