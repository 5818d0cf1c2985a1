/*
 * domtree.h - the immediate dominators of a directed graph, by SEMI-NCA.
 *
 * Source: Georgiadis, Tarjan, Werneck, "Finding dominators in practice", 2006. The last step
 * of SEMI-NCA climbs the tree node by node, which takes quadratic time on a long chain whose
 * nodes have children with a second way from the top, for example a long queue whose items a map
 * holds, too. Here each node also has a link that jumps over many nodes (Myers, "An applicative
 * random-access stack", 1983), so that climbing takes logarithmic time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "heap/heapnode.h"
#include "heap/heaproom.h"

/** An arc between nodes. */
struct domtree_arc {
    heapnode from, to;
};

/** A graph. A node has a tree parent, or it is a top; all other arcs lead to tops. */
struct domtree_graph {
    uint64_t nodes;
    /* The only node that refers to this one; HEAPNODE_ROOT: the virtual root refers to it;
     * HEAPNODE_MANY: arcs lead to it. */
    const heapnode *parents;
    struct heaproom_list arcs; /* struct domtree_arc; given back as soon as it was read */
};

/**
 * Computes the immediate dominators of the nodes whose parent is HEAPNODE_MANY: a node,
 * HEAPNODE_ROOT, or HEAPNODE_NONE if it is not reachable. `ret_dom` has a row for each node; the
 * rows of other nodes are their parents.
 *
 * Errors: 0; E_LIMIT.
 */
int domtree_compute(struct domtree_graph *graph, struct heaproom *room, heapnode *ret_dom);
