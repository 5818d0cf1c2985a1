/*
 * holders.h - which fields hold the objects of a set, and how many bytes by field.
 *
 * A question gives the objects that waste memory, with the bytes that each of them wastes. Then one
 * pass over all references finds who refers to them. An object is counted once, for the first
 * reference that the file has. The objects are kept in the room of the graph, within its limit.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "heap/graph.h"

/** A field that holds objects of the set. */
struct holders_row {
    enum graph_edge_kind kind;
    graph_class klass; /* declares the field; of elements the class of the array */
    const char *name;  /* of the field; "" for elements and other kinds; borrowed from the graph */
    uint64_t objects, bytes;
    graph_object sample; /* one of the objects that have the field */
};

struct holders;

/** NULL: no memory. Owner: holders_free(). */
struct holders *holders_new(struct graph *g);
void holders_free(struct holders *h);
/** Adds an object, or bytes to one. Errors: 0; E_LIMIT. */
int holders_add(struct holders *h, graph_object object, uint64_t bytes);
/** Counts references to `wrapper` as references to `object`, and references from `wrapper` not at
 * all. Errors: 0; E_LIMIT. */
int holders_add_wrapper(struct holders *h, graph_object wrapper, graph_object object);
/** Reads all references of the file. To be called once, after all objects were added. Errors: 0;
 * -errno. */
int holders_find(struct holders *h);
/** The rows, those with most bytes first. Owner: `h`. */
const struct holders_row *holders_rows(const struct holders *h, uint32_t *ret_count);
