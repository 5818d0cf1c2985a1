/*
 * forest.h - walks trees that are given by parents, in preorder.
 *
 * An object to which one other object refers has that object as its immediate dominator. So these
 * references make trees. The top of a tree is a root, or an object with several referrers. The
 * numbers of forest_number() are those of a walk in preorder, so that each tree and each subtree is
 * an interval: two numbers tell whether one object is above another.
 *
 * A walk may be one of members alone. An object that is no member has no members below it; most
 * objects of a heap are such leaves, and need no memory here. The walk needs no recursion, however
 * deep a tree is, and changes the table of parents for a while instead of keeping lists of
 * children. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "heap/bitrank.h"
#include "heap/heapnode.h"
#include "heap/heaptable.h"

/** Visits a member; its parent is HEAPNODE_ROOT or HEAPNODE_MANY for the top of a tree. Errors end
 * the walk. */
typedef int forest_visit(void *with, heapnode object, heapnode parent);

struct forest {
    struct heaptable pre;  /* by object: its number; HEAPNODE_NONE: it is in no tree */
    struct bitrank tops;   /* numbers `pre` at which a tree begins */
    uint64_t count, trees; /* objects in trees; trees */
};

/**
 * Visits the members in preorder, trees by their tops and children by their numbers. `parents` has,
 * by object, the parent, HEAPNODE_ROOT, HEAPNODE_MANY or HEAPNODE_NONE; members of rings and of
 * trees below HEAPNODE_NONE get HEAPNODE_NONE as parent. `members` is sealed; NULL: all objects
 * are.
 *
 * Errors: 0; those of `visit`; E_LIMIT, -errno: `parents` is useless then.
 */
int forest_walk(struct heaptable_store *store, struct heaptable *parents,
                const struct bitrank *members, uint64_t objects, forest_visit *visit, void *with);
/** Numbers the trees of all objects. Errors: as forest_walk(). Owner: forest_done(), also after an
 * error. */
int forest_number(struct forest *f, struct heaptable_store *store, struct heaptable *parents,
                  uint64_t objects);
void forest_done(struct forest *f, struct heaproom *room);

/** The number of an object; HEAPNODE_NONE: it is in no tree. */
static inline heapnode forest_pre(const struct forest *f, heapnode object)
{
    return heaptable_node(&f->pre, object);
}
