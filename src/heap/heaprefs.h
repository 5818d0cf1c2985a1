/*
 * heaprefs.h - all references of a dump that keep something alive, streamed from the file.
 *
 * Each pass over the graph is one such stream. It has the references of objects in the order of the
 * file, and then those of threads to the objects in their frames. What leads to a root, to the
 * object itself or nowhere is left out, since it changes no dominator.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heap/bitrank.h"
#include "heap/graph_parts.h"

/* A class object has up to 65,535 constants, as many static fields, and five references more. */
enum { HEAPREFS_PIECE = 2 * 65535 + 64 };

/** Half a megabyte: not for the stack. */
struct heaprefs {
    struct graph *g;
    const struct bitrank *roots; /* borrowed: the objects that are roots themselves */
    struct dumpscan scan;
    heapnode owner;    /* the object that refers */
    bool is_new;       /* this is the first piece of a record; false also for locals of threads */
    graph_class klass; /* of the owner */
    uint32_t count;    /* references in this piece */
    heapnode to[HEAPREFS_PIECE];
    uint64_t next_element, next_root; /* where the next piece begins */
    uint64_t told;
    int error;
};

void heaprefs_begin(struct heaprefs *r, struct graph *g, const struct bitrank *roots);
/** The next piece: some references of one object, or none of an object that has none. Returns
 * whether there is one; at the end `error` says whether all was read. */
bool heaprefs_next(struct heaprefs *r);
/** The shallow size of the object of a new piece. */
uint64_t heaprefs_shallow(const struct heaprefs *r);
