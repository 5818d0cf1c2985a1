/*
 * stacktree_walk.h - walks a tree of stacks from the outermost nodes inwards. It needs memory only
 * for the nodes on one path and their siblings.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "format/stacktree.h"

/** The children of a node, sorted by name. Those before `at` have been visited. */
struct stacktree_level {
    uint32_t *children;
    uint32_t count, at, room;
};

/** All zero except `tree`, which is borrowed: the walk has not begun. */
struct stacktree_walk {
    const struct stacktree *tree;
    struct stacktree_level *levels; /* the innermost is number depth - 1 */
    uint32_t depth, room;
};

/** For each node, from 1 on, the value of the node and its descendants; [0] is the sum of all.
 * NULL: no memory. Owner: free(). */
uint64_t *stacktree_walk_sums(const struct stacktree *t);
/** Begin a level with the children of `node`; of 0 the outermost nodes. NULL: no memory. */
struct stacktree_level *stacktree_walk_enter(struct stacktree_walk *w, uint32_t node);
/** The next node of the innermost level. At its end the level is left, and the result is 0. */
uint32_t stacktree_walk_next(struct stacktree_walk *w);
void stacktree_walk_done(struct stacktree_walk *w);
