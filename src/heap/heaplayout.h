/*
 * heaplayout.h - how the JVM laid its heap out, from the distances of the objects in a dump.
 *
 * A dump does not say how long references and headers were, but ids are addresses: what lies
 * between two objects that follow each other in the file is the size of the first one. Evidence is
 * collected object by object; docs/heap-graph.md says what follows from it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heap/graph_types.h"

struct dumpscan;
struct heapclass;

enum { HEAPLAYOUT_SCALES = 2 }; /* an id is an address, or counts units of 8 bytes */

/** What distances of addresses tell, for one scale of ids. */
struct heaplayout_evidence {
    uint64_t least_array; /* the least header of arrays of small elements; UINT64_MAX: none */
    bool has_overlap;     /* an array was longer than its place: the scale is wrong */
    bool has_narrow, has_arrays; /* arrays of objects: with 4 bytes an element; any that tell */
};

struct heaplayout {
    struct heaplayout_evidence evidence[HEAPLAYOUT_SCALES];
    uint64_t id_bits; /* all ids or-ed */
    /* the object in front, in the same segment */
    uint64_t last_id, last_payload, last_count;
    graph_class last_class;
    unsigned last_type; /* of an array; 0: an instance */
    bool has_last;
};

void heaplayout_begin(struct heaplayout *l);
/** The next object of the file has this id. Notes how far it lies behind the one in front. Returns
 * whether it lies behind it at all. */
bool heaplayout_note(struct heaplayout *l, struct heapclass *classes, uint64_t id);
/** Remembers the object on which the scan stands, for the next one. `klass` is GRAPH_NO_CLASS for
 * an array of primitives. */
void heaplayout_keep(struct heaplayout *l, const struct dumpscan *s, graph_class klass);
/** What comes next does not lie behind the last object. */
static inline void heaplayout_break(struct heaplayout *l)
{
    l->has_last = false;
}
/** The layout. The distances that the classes keep become bytes. */
void heaplayout_judge(const struct heaplayout *l, unsigned id_bytes, struct heapclass *classes,
                      struct graph_layout *ret_layout);
