/*
 * arrayhash.h - a hash of the contents of each array of a primitive type, by the array's number.
 *
 * Strings are compared by the contents of their arrays, which may lie anywhere in the file. So one
 * pass over the file hashes all arrays; then strings find the hash of their array without reading
 * it. An array of zeros has a mark.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heap/graph.h"
#include "heap/heaptable.h"

#define ARRAYHASH_NONE (UINT64_C(0))  /* no array of a primitive type, or none that can be read */
#define ARRAYHASH_ZEROS (UINT64_C(1)) /* an array whose elements are all 0, at least one */

/* Bits that the users of the hashes may set in arrayhash.hashes. */
#define ARRAYHASH_OF_STRING (UINT64_C(1) << 63) /* a String refers to the array */
#define ARRAYHASH_COUNTED (UINT64_C(1) << 62)   /* the size of the array was counted */
#define ARRAYHASH_MARKS (ARRAYHASH_OF_STRING | ARRAYHASH_COUNTED)

struct arrayhash {
    struct graph *graph;
    struct heaptable hashes; /* by number of the object */
};

/** Hashes all arrays. `h` must not move until arrayhash_done(). Errors: 0; E_LIMIT: the memory is
 * too small; -errno. Owner: arrayhash_done(), also after an error. */
int arrayhash_make(struct arrayhash *h, struct graph *g);
void arrayhash_done(struct arrayhash *h);
/** The hash of an array, or one of the values above. Two arrays with the same hash have the same
 * type, length and elements. */
static inline uint64_t arrayhash_of(const struct arrayhash *h, graph_object object)
{
    return object < h->hashes.rows ? heaptable_get(&h->hashes, object) & ~ARRAYHASH_MARKS
                                   : ARRAYHASH_NONE;
}
/** Sets a bit of ARRAYHASH_MARKS. Returns whether it was set before. */
static inline bool arrayhash_mark(struct arrayhash *h, graph_object object, uint64_t mark)
{
    if (object >= h->hashes.rows)
        return true;
    uint64_t hash = heaptable_get(&h->hashes, object);
    if (!(hash & mark))
        heaptable_set(&h->hashes, object, hash | mark);
    return (hash & mark) != 0;
}
/** Whether a bit of ARRAYHASH_MARKS is set. */
static inline bool arrayhash_has_mark(const struct arrayhash *h, graph_object object, uint64_t mark)
{
    return object < h->hashes.rows && (heaptable_get(&h->hashes, object) & mark) != 0;
}
