/*
 * collect.h - how full a collection of java.util is.
 *
 * The collections and their fields are rows of collection.def. An object of a subclass counts as
 * its collection. Where a JDK calls a field in another way, the collection is not known, and is not
 * guessed.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heap/graph.h"

enum collect_shape {
    COLLECT_LIST,
    COLLECT_RING,
    COLLECT_BUCKETS,
    COLLECT_PROBED,
    COLLECT_PAIRS,
    COLLECT_LINKED,
    COLLECT_FIXED,
};

struct collect;

/** One collection. */
struct collect_facts {
    enum collect_shape shape;
    graph_class klass; /* the class of java.util that it is, or that it is a subclass of */
    uint64_t size;     /* elements or entries */
    uint64_t capacity; /* slots of the array; 0: there is no array */
    uint64_t used;     /* slots that are not null; of LIST, RING, PROBED, PAIRS and FIXED: `size` */
    graph_object array;   /* GRAPH_NONE: none */
    uint64_t bytes;       /* shallow sizes of the collection and its array */
    uint64_t array_bytes; /* shallow size of the array alone */
    uint64_t slot_bytes;  /* bytes of one slot; of PAIRS two references */
};

/** Finds the collections among the classes. NULL: no memory. Owner: collect_free(). */
struct collect *collect_new(struct graph *g);
void collect_free(struct collect *c);
/** Whether objects of this class are collections. */
bool collect_knows(const struct collect *c, graph_class klass);
/** Whether an object of this class only wraps a collection, as a HashSet does a HashMap; *ret_inner
 * is then the collection of `object`, or GRAPH_NONE. */
bool collect_wraps(struct collect *c, const struct graph_info *object, graph_object *ret_inner);
/** Reads what is known of a collection. Returns false if `object` is none, or cannot be read. */
bool collect_look(struct collect *c, const struct graph_info *object,
                  struct collect_facts *ret_facts);
