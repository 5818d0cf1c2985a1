/*
 * forest.h - trees of objects that have one referrer each, numbered so that each tree and each
 * subtree is an interval.
 *
 * An object to which one other object refers has that object as its immediate dominator. So these
 * references make trees. The top of a tree is a root, or an object with several referrers. The
 * numbers are those of a walk in preorder: two numbers tell whether one object is above another.
 * The walk needs no recursion, however deep a tree is, and changes the array of parents for a while
 * instead of keeping lists of children.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "heap/bitrank.h"
#include "heap/heapnode.h"
#include "heap/heaproom.h"

struct forest {
    heapnode *pre;         /* by object; HEAPNODE_NONE: it is in no tree, so it is not reachable */
    struct bitrank tops;   /* numbers `pre` at which a tree begins */
    uint64_t count, trees; /* objects in trees; trees */
};

/**
 * Numbers the trees. `parents` has, by object, the only referrer, HEAPNODE_ROOT, HEAPNODE_MANY or
 * HEAPNODE_NONE; objects of rings and of trees below HEAPNODE_NONE get HEAPNODE_NONE as parent.
 *
 * Errors: 0; E_LIMIT, and `parents` is useless then. Owner: forest_done(), also after an error.
 */
int forest_number(struct forest *f, struct heaproom *room, heapnode *parents, uint64_t objects);
void forest_done(struct forest *f, struct heaproom *room, uint64_t objects);
