/*
 * heaprefs.h - all references of a dump that keep something alive, streamed from the file.
 *
 * Each pass over the graph is one such stream. It has the references of objects in the order of the
 * file, and then those of threads to the objects in their frames. What leads to a root, to the
 * object itself or nowhere is left out, since it changes no dominator.
 *
 * Objects are read some at a time: first their ids, then the numbers of these. So the memory that
 * the look-ups need is asked for early, and the processor need not wait for each one.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heap/bitrank.h"
#include "heap/graph_parts.h"

enum {
    /* A class object has up to 65,535 constants, as many static fields, and five references more.
     */
    HEAPREFS_PIECE = 2 * 65535 + 64,
    HEAPREFS_AHEAD = 512,   /* ids that are read before they are looked up */
    HEAPREFS_OBJECTS = 256, /* pieces */
};

/** A piece: some references of one object. */
struct heaprefs_piece {
    uint64_t owner;        /* its id, then its number */
    uint32_t first, count; /* in `ids`, then in `to` */
    bool is_new;           /* the first piece of a record, of which the following fields tell */
    int16_t tag;
    uint16_t type;     /* of the elements of an array */
    uint32_t elements; /* of an array */
    graph_class klass;
};

/** A megabyte, of which little is used: not for the stack. */
struct heaprefs {
    struct graph *g;
    const struct bitrank *roots; /* borrowed: the objects that are roots themselves */
    struct dumpscan scan;
    /* The piece: */
    heapnode owner; /* the object that refers */
    bool is_new;    /* this is the first piece of a record; false also for locals of threads */
    uint32_t count; /* references in this piece */
    const heapnode *to;
    /* Tables that the caller looks into with the numbers of `to`; NULL: none. */
    const struct heaptable *touched;
    /* What was read ahead: */
    struct heaprefs_piece pieces[HEAPREFS_OBJECTS];
    uint32_t piece_count, next_piece;
    uint32_t id_count;
    union {
        uint64_t ids[HEAPREFS_PIECE + HEAPREFS_AHEAD];
        heapnode numbers[HEAPREFS_PIECE + HEAPREFS_AHEAD];
    } u;
    uint64_t next_element, next_root; /* where the next piece begins */
    uint64_t told;
    bool is_at_end;
    int error;
};

/** Begins a pass. `touched` may be set behind it. */
void heaprefs_begin(struct heaprefs *r, struct graph *g, const struct bitrank *roots);
/** The next piece: some references of one object, or none of an object that has none. Returns
 * whether there is one; at the end `error` says whether all was read. */
bool heaprefs_next(struct heaprefs *r);
/** The shallow size of the object of a new piece. */
uint64_t heaprefs_shallow(const struct heaprefs *r);
