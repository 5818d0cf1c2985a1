/*
 * stacktree.h - stacks merged from the outermost call on: what flame graphs and call trees show.
 *
 * A method is one node under its caller, however it ran. How much of it ran interpreted, compiled
 * and inlined is kept as shares of the node (struct stacktree_ran). With `parts_tiers` each of
 * these ways is a node of its own. A node is a label under a parent, and a label is a name and a
 * kind. Names are written as people read them: java.lang.String.length, or only the function of C
 * or C++. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "profile/lookup.h"
#include "profile/profile.h"
#include "profile/table.h"

/** Kinds of labels: those of frames, then labels that are not frames. */
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
    uint64_t before; /* like `self`, in an earlier profile */
};

/** How much of the value of a node and its descendants ran in each way. Index: enum frame_kind. */
struct stacktree_ran {
    uint64_t value[FRAME_JAVA_KINDS];
};

struct stacktree_step {
    uint32_t parent, label, node;
};

struct stacktree {
    struct profile *profile; /* borrowed */
    /* The names of labels are strings of this model: `profile`, or `own_names`. */
    struct profile *names;
    struct profile *own_names;
    string_id last_name; /* name of stacktree_add_last() */
    bool parts_tiers;    /* set this and `notes_tiers` before the first event */
    bool notes_tiers;    /* the shares are kept */
    struct arena arena;
    struct lookup_key key;
    struct table labels, nodes;
    struct table ran; /* struct stacktree_ran by node, if `notes_tiers` */
    struct lookup label_index, node_index;
    /* uint32_t by frame_id; 0: not made yet, or there was no room. */
    struct table label_of_frame;
    uint32_t first_root; /* the first of the outermost nodes, which have no parent */
    /* The path of the previous stack, from the outermost frame on. Most stacks begin like the
     * previous one. */
    struct stacktree_step *way;
    uint32_t way_count, way_room;
};

void stacktree_init(struct stacktree *t, struct profile *profile);
void stacktree_done(struct stacktree *t);
/** Makes a tree on the heap; NULL: no memory. Owner: stacktree_free(). */
struct stacktree *stacktree_new(struct profile *profile);
void stacktree_free(struct stacktree *t);
/** Adds `value` to the node of an event: its thread, the frames of its trace, its class or text.
 * Errors: 0, -ENOMEM. */
int stacktree_add(struct stacktree *t, const struct event *event, uint64_t value);
/**
 * Limits the tree to `tree_bytes` and its names to `names_bytes`; the names are then not in the
 * model. `last` is the name for stacktree_add_last(). Call it before the first event. Errors: 0,
 * -ENOMEM.
 */
int stacktree_bound(struct stacktree *t, size_t tree_bytes, size_t names_bytes, const char *last);
/** Adds one more outermost node, with the name `last`, to a tree with a limit, even if the limit is
 * reached. Call it once, after the last event. 0: no memory. */
uint32_t stacktree_add_last(struct stacktree *t);
/** The node of the event's innermost frame; adds it if it is new. 0: no memory. */
uint32_t stacktree_node_of(struct stacktree *t, const struct event *event);
const struct stacktree_label *stacktree_label(const struct stacktree *t, uint32_t label);
struct stacktree_node *stacktree_node(const struct stacktree *t, uint32_t node);
/** Only if `notes_tiers`. */
const struct stacktree_ran *stacktree_ran(const struct stacktree *t, uint32_t node);
/**
 * The children of `node`, sorted by name; of `node` 0 the outermost nodes. *ret_children grows with
 * realloc(); *room is its length. Returns how many children, or -ENOMEM.
 */
int64_t stacktree_children(const struct stacktree *t, uint32_t node, uint32_t **ret_children,
                           uint32_t *room);
