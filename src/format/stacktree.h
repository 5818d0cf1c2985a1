/*
 * stacktree.h - stacks merged from the outermost call: what flame graphs and call trees show.
 *
 * A method is one node under its caller, however it ran; how much of it was interpreted, compiled
 * and inlined are shares of the node (struct stacktree_ran). With `parts_tiers` it is a node each.
 * A node is a label under a parent; a label is a name and a kind. Names are those that people read:
 * java.lang.String.length, the function of C or C++ alone. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "profile/lookup.h"
#include "profile/profile.h"
#include "profile/table.h"

/** Kinds of labels: those of frames, and what is no frame. */
enum stacktree_kind {
    STACKTREE_CPP = FRAME_KINDS, /* a native function whose name has colons */
    STACKTREE_OBJECT,            /* the class of an object, or a monitor */
    STACKTREE_THREAD,
    STACKTREE_KINDS,
};

struct stacktree_label {
    string_id name;
    uint8_t kind; /* enum frame_kind or enum stacktree_kind */
};

struct stacktree_node {
    uint32_t parent; /* 0: outermost */
    uint32_t label;
    uint32_t first_child, next; /* children in the order they came; 0: none */
    uint64_t self;
    uint64_t before; /* the same of an earlier profile */
};

/** Of what is in a node and below, how much was in a frame that ran so: by enum frame_kind. */
struct stacktree_ran {
    uint64_t value[FRAME_JAVA_KINDS];
};

struct stacktree_step {
    uint32_t parent, label, node;
};

struct stacktree {
    struct profile *profile; /* borrowed */
    struct profile *names;   /* names of labels are strings of it: `profile`, or `own_names` */
    struct profile *own_names;
    string_id last_name; /* of stacktree_add_last() */
    bool parts_tiers;    /* set before the first event, like the next one */
    bool notes_tiers;    /* the shares are kept */
    struct arena arena;
    struct lookup_key key;
    struct table labels, nodes;
    struct table ran; /* struct stacktree_ran by node; of `notes_tiers` */
    struct lookup label_index, node_index;
    struct table label_of_frame; /* uint32_t by frame_id, 0: not asked yet, or it had no room */
    uint32_t first_root;         /* the outermost nodes are children of nobody */
    /* The way of the stack before, from the outermost frame: most have the first part in common. */
    struct stacktree_step *way;
    uint32_t way_count, way_room;
};

void stacktree_init(struct stacktree *t, struct profile *profile);
void stacktree_done(struct stacktree *t);
/** One on the heap; NULL: no memory. Owner: stacktree_free(). */
struct stacktree *stacktree_new(struct profile *profile);
void stacktree_free(struct stacktree *t);
/** Adds `value` to the stack of the event: its thread, its trace, its class or text. Errors: 0,
 * -ENOMEM. */
int stacktree_add(struct stacktree *t, const struct event *event, uint64_t value);
/**
 * From now on the tree takes at most `tree_bytes`, and names at most `names_bytes`, which are not
 * in the model then. Before the first event. Errors: 0, -ENOMEM.
 */
int stacktree_bound(struct stacktree *t, size_t tree_bytes, size_t names_bytes, const char *last);
/** Of a tree that has a bound, also where that is reached: one more outermost node, called `last`.
 * Once, behind the last event. 0: no memory. */
uint32_t stacktree_add_last(struct stacktree *t);
/** The node of the event's innermost frame, made where there is none. 0: no memory. */
uint32_t stacktree_node_of(struct stacktree *t, const struct event *event);
const struct stacktree_label *stacktree_label(const struct stacktree *t, uint32_t label);
struct stacktree_node *stacktree_node(const struct stacktree *t, uint32_t node);
/** Where the shares are kept. */
const struct stacktree_ran *stacktree_ran(const struct stacktree *t, uint32_t node);
/**
 * The children of `node`, 0 for the outermost, by name; *ret_children grows with realloc() as
 * needed, *room is its length. Returns how many, or -ENOMEM.
 */
int64_t stacktree_children(const struct stacktree *t, uint32_t node, uint32_t **ret_children,
                           uint32_t *room);
