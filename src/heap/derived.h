/*
 * derived.h - proves that no node of a graph dominates another one, by the algorithm of Lengauer
 * and Tarjan.
 *
 * graph_verify() asks this of the children of each object in the tree of dominators, for all
 * objects at once. It shares no code with domtree.h. Source: Lengauer, Tarjan, "A fast algorithm
 * for finding dominators in a flowgraph", 1979: the simple version, with path compression.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heap/bitrank.h"
#include "heap/heapnode.h"
#include "heap/heaptable.h"

/**
 * Whether each object to which an arc leads can be reached from an entry, and has no dominator but
 * the beginning. `arcs` has beginnings and ends, one behind the other, and is used up. `entries`
 * are the objects that the beginning refers to; `objects` is the count of all objects.
 *
 * Returns 0; 1: there is no proof, and *ret_object is the first object without one. Errors:
 * E_LIMIT; -errno.
 */
int derived_prove(struct heaptable_store *store, struct heaptable *arcs,
                  const struct bitrank *entries, uint64_t objects, heapnode *ret_object);
