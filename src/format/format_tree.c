/*
 * format_tree.c - the tree of calls as nested JSON objects: {"name", "value", "children"}, which
 * d3's hierarchies and its flame graphs read.
 *
 * "value" is the sum of a node and its descendants. "kind" says what its frame is; for a method,
 * how most of it ran. "ran" says how much of a method ran in which way, if it ran in several ways.
 * Nodes are written while the tree is walked, so only one path of the tree needs memory. Written
 * only. Layout: docs/format/tree.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include "base/sink.h"
#include "format/format.h"
#include "format/json_out.h"
#include "format/stacktree_walk.h"
#include "profile/profile.h"

static int begin(struct writer_out *o)
{
    struct stacktree *t = stacktree_new(o->profile);
    if (t) {
        t->parts_tiers = o->with_tiers;
        t->notes_tiers = !o->with_tiers;
    }
    o->state = t;
    return t ? 0 : -ENOMEM;
}

static int add(struct writer_out *o, const struct event *event)
{
    uint64_t value = event->value[o->value];
    return value ? stacktree_add(o->state, event, value) : 0;
}

static const char *word_of(uint8_t kind)
{
    static const char *const others[STACKTREE_KINDS] = {
        [STACKTREE_CPP] = "C++",
        [STACKTREE_OBJECT] = "object",
        [STACKTREE_THREAD] = "thread",
    };
    return kind < FRAME_KINDS ? frame_kind_word(kind) : others[kind];
}

/* How most of the node ran; the first of several equal ways. *ret_count: how many ways there
 * are. */
static uint8_t find_tier(const struct stacktree_ran *ran, int *ret_count)
{
    uint8_t most = FRAME_JAVA;
    *ret_count = 0;
    for (int kind = 0; kind < FRAME_JAVA_KINDS; kind++) {
        *ret_count += ran->value[kind] > 0;
        if (ran->value[kind] > ran->value[most])
            most = (uint8_t)kind;
    }
    return most;
}

static void put_ran(struct sink *s, const struct stacktree_ran *ran)
{
    const char *before = ",\"ran\":{";
    for (int kind = 0; kind < FRAME_JAVA_KINDS; kind++) {
        if (ran->value[kind] == 0)
            continue;
        sink_printf(s, "%s\"%s\":%llu", before, word_of((uint8_t)kind),
                    (unsigned long long)ran->value[kind]);
        before = ",";
    }
    sink_text(s, "}");
}

static void put_node(struct writer_out *o, const struct stacktree *t, uint32_t id, uint64_t value)
{
    const struct stacktree_label *label = stacktree_label(t, stacktree_node(t, id)->label);
    bool is_method = label->kind == FRAME_JAVA && t->notes_tiers;
    int ways = 0;
    uint8_t kind = is_method ? find_tier(stacktree_ran(t, id), &ways) : label->kind;
    sink_text(o->sink, "{\"name\":");
    json_out_string(o->sink, o->profile, label->name);
    sink_printf(o->sink, ",\"kind\":\"%s\",\"value\":%llu", word_of(kind),
                (unsigned long long)value);
    if (ways > 1)
        put_ran(o->sink, stacktree_ran(t, id));
}

static int put_tree(struct writer_out *o, const struct stacktree *t, const uint64_t *sums)
{
    struct stacktree_walk w = {.tree = t};
    const struct stacktree_level *level = stacktree_walk_enter(&w, 0);
    while (level && w.depth > 0) {
        level = &w.levels[w.depth - 1];
        bool is_first = level->at == 0, has_any = level->count > 0;
        uint32_t node = stacktree_walk_next(&w);

        if (!node) {
            sink_text(o->sink, has_any ? "]}" : "}");
            continue;
        }
        sink_text(o->sink, is_first ? ",\"children\":[\n" : ",\n");
        put_node(o, t, node, sums[node]);
        level = stacktree_walk_enter(&w, node);
    }
    stacktree_walk_done(&w);
    return level ? 0 : -ENOMEM;
}

static int end(struct writer_out *o)
{
    struct stacktree *t = o->state;
    const struct kind *type = kind_all[o->kind];
    int r = -ENOMEM;
    if (!t)
        return 0;
    uint64_t *sums = stacktree_walk_sums(t);
    if (sums) {
        sink_printf(o->sink, "{\"name\":\"all\",\"kind\":\"%s\",\"unit\":\"%s\",\"value\":%llu",
                    type->values[o->value].words, kind_unit_word(type->values[o->value].unit),
                    (unsigned long long)sums[0]);
        r = put_tree(o, t, sums);
        sink_text(o->sink, "\n");
    }
    free(sums);
    stacktree_free(t);
    o->state = NULL;
    return r;
}

static const struct writer writer = {
    .abilities = WRITER_PICTURE,
    .begin = begin,
    .event = add,
    .end = end,
};

const struct format format_tree = {
    .name = "tree",
    .help = "tree of calls as JSON: d3, d3-flame-graph",
    .suffixes = ".tree.json .json",
    .writer = &writer,
};
