/*
 * java_sets.h - the elements of a set that ConcurrentHashMap.newKeySet() made, and entries of maps.
 *
 * The set may be growing: then its elements are found in two tables, each element once. An element
 * that is added or removed at this moment may or may not be seen, as in Java.
 * Source: java.util.concurrent.ConcurrentHashMap (Node, TreeBin, ForwardingNode), and Hashtable.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct oops;

/**
 * Call `each` for every element of `set`, a KeySetView or a ConcurrentHashMap, until it returns
 * non-zero. Returns that value, or 0. `damage` counts torn reads: objects that are not a set, and
 * chains that do not end.
 */
int java_sets_each(struct oops *o, uint64_t set, int (*each)(void *context, uint64_t element),
                   void *context, uint32_t *damage);

/** Do the same as java_sets_each() for the keys and values of a ConcurrentHashMap or a Hashtable,
 * or of an object that has one. */
int java_sets_entries(struct oops *o, uint64_t map,
                      int (*each)(void *context, uint64_t key, uint64_t value), void *context,
                      uint32_t *damage);
