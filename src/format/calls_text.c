/*
 * calls_text.c - see calls_text.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/calls_text.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "base/plain.h"
#include "base/sink.h"
#include "format/format.h"
#include "format/frame_name.h"
#include "format/stacktree_walk.h"
#include "profile/frame_list.h"
#include "profile/profile.h"
#include "safe/clock.h"

/* A node is shown if it has at least 1/200 of the sum of all. */
enum { SHARE_LEAST = 200, STEP = 2 };

struct calls {
    struct stacktree tree;
    struct frame_list frames;
    uint64_t *sums; /* sums of the nodes, while the tree is written */
    bool with_self;
};

int calls_text_begin(struct writer_out *o)
{
    struct calls *c = calloc(1, sizeof(*c));
    if (c) {
        stacktree_init(&c->tree, o->profile);
        c->tree.parts_tiers = o->with_tiers;
    }
    o->state = c;
    return c ? 0 : -ENOMEM;
}

static trace_id reverse(struct calls *c, struct profile *profile, trace_id id)
{
    uint32_t depth = profile_trace_at(profile, id)->depth;
    if (!frame_list_reserve(&c->frames, depth))
        return 0;
    const struct profile_trace *trace = profile_trace_at(profile, id);
    for (uint32_t i = 0; i < depth; i++)
        c->frames.frames[i] = trace->frames[depth - 1 - i];
    return profile_trace(profile, 0, c->frames.frames, depth);
}

int calls_text_add(struct writer_out *o, const struct event *event, bool is_reversed)
{
    struct calls *c = o->state;
    const struct profile_trace *trace = profile_trace_at(o->profile, event->trace);
    struct event shown = *event;
    if (event->value[o->value] == 0)
        return 0;
    shown.thread = 0;
    if (is_reversed) {
        shown.trace = reverse(c, o->profile, event->trace);
        shown.klass = shown.text = 0;
    } else if (trace->thread) {
        shown.trace = profile_trace(o->profile, 0, trace->frames, trace->depth);
    }
    return shown.trace ? stacktree_add(&c->tree, &shown, event->value[o->value]) : -ENOMEM;
}

/* Keeps the children of the level that are large enough, the largest first. Equal children stay in
 * the order of their names. */
static void choose(struct stacktree_level *level, const uint64_t *sums)
{
    uint32_t *children = level->children, kept = 0;
    for (uint32_t i = 0; i < level->count; i++) {
        uint32_t child = children[i], at = kept;
        if (sums[child] < sums[0] / SHARE_LEAST)
            continue;
        /* At most SHARE_LEAST children are kept, so this loop is short enough. */
        for (; at > 0 && sums[children[at - 1]] < sums[child]; at--)
            children[at] = children[at - 1];
        children[at] = child;
        kept++;
    }
    level->count = kept;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* `parted`: how many of the levels down to this node, except the first, have several children. */
static void put_node(struct writer_out *o, uint32_t id, uint32_t parted, bool is_alone)
{
    const struct calls *c = o->state;
    const struct stacktree_node *node = stacktree_node(&c->tree, id);
    const struct stacktree_label *label = stacktree_label(&c->tree, node->label);
    const struct profile_string *name = profile_string_at(o->profile, label->name);
    const char *ending = label->kind < FRAME_KINDS ? frame_name_ending(label->kind) : NULL;
    const struct kind_value *value = &kind_all[o->kind]->values[o->value];
    uint64_t per_unit = value->unit == KIND_UNIT_NS ? NS_PER_MS : 1;
    sink_printf(o->sink, "%6.2f%% ", percent(c->sums[id], c->sums[0]));
    if (c->with_self)
        sink_printf(o->sink, "%6.2f%% ", percent(node->self, c->sums[0]));
    sink_printf(o->sink, "%12" PRIu64 "  %*s%s", c->sums[id] / per_unit, (int)(parted * STEP), "",
                is_alone ? "  " : "+ ");
    plain_put(o->sink, name->bytes, name->len);
    if (ending)
        sink_text(o->sink, ending);
    sink_u1(o->sink, '\n');
}

static int put_nodes(struct writer_out *o)
{
    struct calls *c = o->state;
    struct stacktree_walk w = {.tree = &c->tree};
    struct stacktree_level *level = stacktree_walk_enter(&w, 0);
    /* How many of the entered levels, except the first, have several children. */
    uint32_t parted = 0;
    if (level)
        choose(level, c->sums);
    while (level && w.depth > 0) {
        bool is_alone = w.levels[w.depth - 1].count <= 1;
        uint32_t node = stacktree_walk_next(&w);
        if (!node) {
            parted -= !is_alone && w.depth > 0;
            continue;
        }
        put_node(o, node, parted, is_alone);
        level = stacktree_walk_enter(&w, node);
        if (!level)
            break;
        choose(level, c->sums);
        parted += level->count > 1;
    }
    stacktree_walk_done(&w);
    return level ? 0 : -ENOMEM;
}

static void put_head(struct writer_out *o, const char *title, bool with_self)
{
    const struct kind *type = kind_all[o->kind];
    const struct kind_value *value = &type->values[o->value];
    sink_printf(o->sink, "%s: %s, without what is below %.1f%%\n%7s ", title, type->title,
                100.0 / SHARE_LEAST, "total");
    if (with_self)
        sink_printf(o->sink, "%7s ", "self");
    sink_printf(o->sink, "%12s    method\n", value->unit == KIND_UNIT_NS ? "ms" : value->words);
}

int calls_text_end(struct writer_out *o, const char *title, bool with_self)
{
    struct calls *c = o->state;
    int r = -ENOMEM;
    if (!c)
        return 0;
    c->sums = stacktree_walk_sums(&c->tree);
    c->with_self = with_self;
    if (c->sums) {
        put_head(o, title, with_self);
        r = put_nodes(o);
    }
    free(c->sums);
    stacktree_done(&c->tree);
    frame_list_done(&c->frames);
    free(c);
    o->state = NULL;
    return r;
}
