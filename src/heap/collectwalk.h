/*
 * collectwalk.h - the elements of one collection of java.util, or the entries of a map.
 *
 * The collections are those of collection.def, what wraps them (a HashSet, an unmodifiable list),
 * and small immutable ones. An object of a subclass is walked as its collection. The order is that
 * of the arrays and chains, which for lists, queues and sorted maps is the program's own.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heap/graph.h"

enum collectwalk_kind {
    COLLECTWALK_NONE, /* no collection that is known */
    COLLECTWALK_ELEMENTS,
    COLLECTWALK_ENTRIES, /* of a map */
};

/** A collection. */
struct collectwalk {
    enum collectwalk_kind kind;
    uint64_t size;     /* elements or entries */
    uint64_t capacity; /* slots of its array; 0: it has none */
};

/** An element; of a map `key` and its value. Either may be GRAPH_NONE. Returns whether more are
 * wanted. */
typedef bool collectwalk_visit(void *with, graph_object key, graph_object value);

/**
 * Looks at an object; if it is a collection, visits its elements (`key` is GRAPH_NONE for these) or
 * entries, until the visitor wants no more. `visit` NULL: only looks. A collection that was changed
 * while the dump was made may have other elements than its size says.
 *
 * Errors: 0; E_LIMIT: no memory; -errno.
 */
int collectwalk_each(struct graph *g, graph_object object, struct collectwalk *ret_facts,
                     collectwalk_visit *visit, void *with);
