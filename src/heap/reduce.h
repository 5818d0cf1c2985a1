/*
 * reduce.h - the small graph that decides the dominators of objects with several referrers.
 *
 * Objects with one referrer are in trees (forest.h), and their dominators are known. For the tops
 * of trees only some objects within trees matter: those that refer to tops, and those where the
 * ways to two of them part. The dominator of a top is one of these objects, or a top, or the
 * virtual root. So the dominators of the graph of these objects are those of the whole graph
 * (docs/heap-graph.md has the proof). SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "heap/forest.h"
#include "heap/heaprefs.h"

/**
 * Puts the immediate dominators of tops into `parents`, which has the only referrer of each other
 * object, HEAPNODE_ROOT for roots and HEAPNODE_MANY for tops. Tops that are not reachable get
 * HEAPNODE_NONE. `many` are the objects whose parent is HEAPNODE_MANY. The forest is given back on
 * the way. Reads the dump once.
 *
 * Errors: 0; E_LIMIT; -errno.
 */
int reduce_dominate(struct heaprefs *refs, struct forest *forest, struct heaptable *parents,
                    const struct bitrank *many);
