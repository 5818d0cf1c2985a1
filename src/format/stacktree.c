/*
 * stacktree.c - see stacktree.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/stacktree.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "format/frame_name.h"

/* The memory that the last node may take above the limit: a chunk of each table, and a longer list
 * of these chunks. */
enum { LAST_BYTES = 64 * 1024, CHUNK_LIST_PART = 256 };

void stacktree_init(struct stacktree *t, struct profile *profile)
{
    *t = (struct stacktree){.profile = profile, .names = profile};
    arena_init(&t->arena, SIZE_MAX);
    lookup_key_init(&t->key);
    table_init(&t->labels, sizeof(struct stacktree_label));
    table_init(&t->nodes, sizeof(struct stacktree_node));
    table_init(&t->ran, sizeof(struct stacktree_ran));
    table_init(&t->label_of_frame, sizeof(uint32_t));
}

void stacktree_done(struct stacktree *t)
{
    arena_done(&t->arena);
    profile_free(t->own_names);
    free(t->way);
}

struct stacktree *stacktree_new(struct profile *profile)
{
    struct stacktree *t = malloc(sizeof(*t));
    if (t)
        stacktree_init(t, profile);
    return t;
}

void stacktree_free(struct stacktree *t)
{
    if (t)
        stacktree_done(t);
    free(t);
}

int stacktree_bound(struct stacktree *t, size_t tree_bytes, size_t names_bytes, const char *last)
{
    t->arena.budget = tree_bytes;
    t->own_names = profile_new(names_bytes);
    if (!t->own_names)
        return -ENOMEM;
    t->names = t->own_names;
    t->last_name = profile_cstring(t->names, last);
    return t->last_name ? 0 : -ENOMEM;
}

const struct stacktree_label *stacktree_label(const struct stacktree *t, uint32_t label)
{
    return table_at(&t->labels, label);
}

struct stacktree_node *stacktree_node(const struct stacktree *t, uint32_t node)
{
    return table_at(&t->nodes, node);
}

const struct stacktree_ran *stacktree_ran(const struct stacktree *t, uint32_t node)
{
    return table_at(&t->ran, node);
}

/* The label with this name and kind; adds it if it is new. 0: no memory. */
static uint32_t label_of(struct stacktree *t, string_id name, uint8_t kind)
{
    const uint32_t key[] = {name, kind};
    uint32_t hash = lookup_hash(&t->key, key, sizeof(key)), at = hash, id;
    struct stacktree_label *label;
    while ((id = lookup_next(&t->label_index, hash, &at)) != 0) {
        label = table_at(&t->labels, id);
        if (label->name == name && label->kind == kind)
            return id;
    }
    if (!name || !lookup_reserve(&t->label_index, &t->arena))
        return 0;
    label = table_add(&t->labels, &t->arena);
    if (!label)
        return 0;
    *label = (struct stacktree_label){name, kind};
    lookup_add(&t->label_index, hash, t->labels.count);
    return t->labels.count;
}

static const char *text_of(struct profile *p, string_id id)
{
    return id ? profile_string_at(p, id)->bytes : "";
}

static uint32_t label_of_frame(struct stacktree *t, frame_id id)
{
    const struct profile_frame *f = profile_frame_at(t->profile, id);
    string_id name = frame_name_whole(t->names, t->profile, f);
    bool is_cpp = f->kind == FRAME_NATIVE && strstr(text_of(t->names, name), "::");
    uint8_t kind = t->parts_tiers ? f->kind : frame_kind_plain(f->kind);
    return label_of(t, name, is_cpp ? STACKTREE_CPP : kind);
}

/* The label of a frame. It is remembered, if there is room. */
static uint32_t frame_label(struct stacktree *t, frame_id id)
{
    uint32_t *label = table_reach(&t->label_of_frame, &t->arena, id);
    if (!label)
        return label_of_frame(t, id);
    if (!*label)
        *label = label_of_frame(t, id);
    return *label;
}

/* The child of `parent` with this label; adds it if it is new. 0: no memory. */
static uint32_t child_of(struct stacktree *t, uint32_t parent, uint32_t label)
{
    const uint32_t key[] = {parent, label};
    uint32_t hash = lookup_hash(&t->key, key, sizeof(key)), at = hash, id;
    uint32_t *first = parent ? &stacktree_node(t, parent)->first_child : &t->first_root;
    struct stacktree_node *node;
    if (!label)
        return 0;
    while ((id = lookup_next(&t->node_index, hash, &at)) != 0) {
        node = stacktree_node(t, id);
        if (node->parent == parent && node->label == label)
            return id;
    }
    if (!lookup_reserve(&t->node_index, &t->arena))
        return 0;
    if (t->notes_tiers && !table_add(&t->ran, &t->arena))
        return 0;
    node = table_add(&t->nodes, &t->arena);
    if (!node)
        return 0;
    *node = (struct stacktree_node){.parent = parent, .label = label, .next = *first};
    *first = t->nodes.count;
    lookup_add(&t->node_index, hash, t->nodes.count);
    return t->nodes.count;
}

uint32_t stacktree_add_last(struct stacktree *t)
{
    struct stacktree_label *label;
    struct stacktree_node *node;
    t->arena.budget += LAST_BYTES + t->arena.budget / CHUNK_LIST_PART;
    label = t->last_name ? table_add(&t->labels, &t->arena) : NULL;
    node = label ? table_add(&t->nodes, &t->arena) : NULL;
    if (!node)
        return 0;
    *label = (struct stacktree_label){t->last_name, FRAME_NATIVE};
    *node = (struct stacktree_node){.label = t->labels.count, .next = t->first_root};
    t->first_root = t->nodes.count;
    return t->nodes.count;
}

/* Like child_of(), for step `at` of a stack. If the previous stack made the same step, its node is
 * used. */
static uint32_t step_to(struct stacktree *t, uint32_t at, uint32_t parent, uint32_t label)
{
    const struct stacktree_step *step = &t->way[at];
    if (at < t->way_count && step->parent == parent && step->label == label)
        return step->node;
    t->way[at] = (struct stacktree_step){parent, label, child_of(t, parent, label)};
    t->way_count = at + 1;
    return t->way[at].node;
}

static bool reserve_way(struct stacktree *t, uint32_t depth)
{
    if (depth <= t->way_room)
        return true;
    struct stacktree_step *way = reallocarray(t->way, depth * (size_t)2, sizeof(*way));

    if (!way)
        return false;
    t->way = way;
    t->way_room = depth * 2;
    return true;
}

static uint32_t thread_label(struct stacktree *t, thread_id thread)
{
    const struct profile_thread *row = profile_thread_at(t->profile, thread);
    char number[32];
    snprintf(number, sizeof(number), "tid=%u", row->serial);
    return label_of(t, frame_name_join(t->names, text_of(t->profile, row->name), " ", number),
                    STACKTREE_THREAD);
}

/* Adds to the node's share of the way in which this frame ran. */
static void note_tier(struct stacktree *t, uint32_t node, frame_id id, uint64_t value)
{
    uint8_t kind = profile_frame_at(t->profile, id)->kind;
    if (t->notes_tiers && frame_kind_is_java(kind))
        ((struct stacktree_ran *)table_at(&t->ran, node))->value[kind] += value;
}

/* The node of the event's innermost frame. `value` is added only to the shares of nodes. 0: no
 * memory. */
static uint32_t node_of(struct stacktree *t, const struct event *event, uint64_t value)
{
    const struct profile_trace *trace = profile_trace_at(t->profile, event->trace);
    thread_id thread = event->thread ? event->thread : trace->thread;
    uint32_t node = 0;
    if (thread && !(node = child_of(t, 0, thread_label(t, thread))))
        return 0;
    if (!reserve_way(t, trace->depth))
        return 0;
    for (uint32_t i = trace->depth; i > 0; i--) {
        frame_id frame = trace->frames[i - 1];
        if (!(node = step_to(t, trace->depth - i, node, frame_label(t, frame))))
            return 0;
        note_tier(t, node, frame, value);
    }
    if (trace->depth == 0 &&
        !(node = child_of(t, node,
                          label_of(t, profile_cstring(t->names, "[no stack]"), FRAME_NATIVE))))
        return 0;
    if ((event->klass || event->text) &&
        !(node = child_of(
              t, node,
              label_of(t, frame_name_object(t->names, t->profile, event), STACKTREE_OBJECT))))
        return 0;
    return node;
}

uint32_t stacktree_node_of(struct stacktree *t, const struct event *event)
{
    return node_of(t, event, 0);
}

int stacktree_add(struct stacktree *t, const struct event *event, uint64_t value)
{
    uint32_t node = node_of(t, event, value);
    if (!node)
        return -ENOMEM;
    stacktree_node(t, node)->self += value;
    return 0;
}

static int by_name(const void *left, const void *right, void *tree)
{
    struct stacktree *t = tree;
    const struct stacktree_label *x = stacktree_label(
                                     t, stacktree_node(t, *(const uint32_t *)left)->label),
                                 *y = stacktree_label(
                                     t, stacktree_node(t, *(const uint32_t *)right)->label);
    int order = strcmp(text_of(t->names, x->name), text_of(t->names, y->name));
    return order ? order : x->kind - y->kind;
}

int64_t stacktree_children(const struct stacktree *t, uint32_t node, uint32_t **ret_children,
                           uint32_t *room)
{
    uint32_t count = 0;
    for (uint32_t at = node ? stacktree_node(t, node)->first_child : t->first_root; at;
         at = stacktree_node(t, at)->next) {
        if (count == *room) {
            uint32_t more = *room ? *room * 2 : 64;
            uint32_t *children = realloc(*ret_children, (size_t)more * sizeof(*children));
            if (!children)
                return -ENOMEM;
            *ret_children = children;
            *room = more;
        }
        (*ret_children)[count++] = at;
    }
    if (count > 1)
        qsort_r(*ret_children, count, sizeof(**ret_children), by_name, (void *)t);
    return count;
}
