/*
 * stacktree_walk.h - a tree of stacks from the outermost nodes inwards, with no more memory than
 * the deepest stack.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "format/stacktree.h"

/** The children of a node, by name, of which those before `at` have been seen. */
struct stacktree_level {
    uint32_t *children;
    uint32_t count, at, room;
};

/** All zero but the tree, which is borrowed: nothing was entered. */
struct stacktree_walk {
    const struct stacktree *tree;
    struct stacktree_level *levels; /* the innermost is number depth - 1 */
    uint32_t depth, room;
};

/** Of each node, from 1 on, what is in it and below; of 0 all. NULL: no memory. Owner: free(). */
uint64_t *stacktree_walk_sums(const struct stacktree *t);
/** A level more: the children of `node`, 0 for the outermost. NULL: no memory. */
struct stacktree_level *stacktree_walk_enter(struct stacktree_walk *w, uint32_t node);
/** The next child of the innermost level, or 0 after leaving the level. */
uint32_t stacktree_walk_next(struct stacktree_walk *w);
void stacktree_walk_done(struct stacktree_walk *w);
