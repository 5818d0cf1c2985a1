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
#include "heap/bitrank.h"
#include "heap/heapnode.h"
#include "heap/heaptable.h"

/** A graph. */
struct domtree_graph {
    uint64_t nodes;
    struct bitrank roots; /* the virtual root refers to these, and no other node */
    struct bitrank tops;  /* nodes whose dominator is wanted; to all others one arc leads at most */
    struct heaptable *arcs; /* beginnings and ends, one behind the other; used up */
};

/**
 * Makes `ret_dom`, which has a row for each node. The row of a top is its immediate dominator: a
 * node, HEAPNODE_ROOT, or HEAPNODE_NONE if it is not reachable. Other rows mean nothing.
 *
 * Errors: 0; E_LIMIT; -errno. Owner: heaptable_done(), also after an error.
 */
int domtree_compute(struct domtree_graph *graph, struct heaptable_store *store,
                    struct heaptable *ret_dom);
