/*
 * heavytree.h - the upper part of the dominator tree: the objects that retain much, and what hangs
 * below each of them by class.
 *
 * A heap has millions of objects and few of them retain much. If an object is heavy, so is its
 * dominator: the heavy objects are a tree that begins at the virtual root. The children of each
 * heavy object are also counted by class, whether they are heavy or not.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "heap/graph.h"

/** A heavy object. Node 0 is the virtual root. */
struct heavytree_node {
    graph_object object; /* GRAPH_ROOT for node 0 */
    graph_class klass;   /* of the object; of a class object java.lang.Class */
    graph_class self;    /* the class that a class object stands for; else GRAPH_NO_CLASS */
    uint32_t parent;     /* index of the node that dominates it; of node 0: 0 */
    uint32_t largest;    /* index of its child that retains most; 0: it has no heavy child */
    uint32_t trace;      /* serial number of the trace of its allocation; 0: unknown */
    uint32_t first_group, group_count; /* its rows in heavytree.groups */
    uint64_t shallow_bytes, retained;
    uint64_t children; /* objects that it dominates immediately */
};

/** The children of a node that have one class. */
struct heavytree_group {
    uint32_t parent; /* index of a node */
    graph_class klass;
    uint64_t count, retained; /* the sum of their retained sizes */
    graph_object largest;     /* the child that retains most, and how much */
    uint64_t largest_retained;
};

struct heavytree {
    struct heavytree_node *nodes;
    uint32_t count;
    uint64_t least;                 /* retained size from which on an object is heavy */
    struct heavytree_group *groups; /* those of a node stand together, the largest first */
    uint32_t group_count;
};

enum {
    HEAVYTREE_SHARE = 1000, /* usual: an object is heavy from a thousandth of the heap on */
    HEAVYTREE_MOST = 50000, /* usual: so many objects at most, in long lists */
};

/**
 * Makes the tree of the objects that retain `least` bytes or more. If these are more than `most`,
 * only heavier ones are taken. To be called after graph_dominate(). Reads the file once.
 *
 * Errors: 0; -ENOMEM; -errno.     Owner: heavytree_done(), also after an error.
 */
int heavytree_make(struct graph *g, uint64_t least, uint32_t most, struct heavytree *ret_tree);
/** The same without the children by class: klass, self, trace, shallow_bytes and children of nodes
 * are unknown. Does not read the file. */
int heavytree_make_nodes(struct graph *g, uint64_t least, uint32_t most,
                         struct heavytree *ret_tree);
void heavytree_done(struct heavytree *t);

/** The node of an object; UINT32_MAX: it is not heavy. Logarithmic time. */
uint32_t heavytree_find(const struct heavytree *t, graph_object object);

/**
 * Where what the node retains has come together: from the node the largest child is followed while
 * it keeps 70 % of what its parent retains, as Eclipse MAT does, and is heavy. A chain of objects
 * of one class is a linked list, of which MAT names no place: here it is the object that holds the
 * list, not an element of it. Reads a few objects.
 */
uint32_t heavytree_accumulation(const struct heavytree *t, struct graph *g, uint32_t node);
