/*
 * heapsummary.h - what a comparison needs of a heap: its classes, and the paths of the dominator
 * tree that retain much, as texts.
 *
 * Two dumps have nothing in common but names, so both are summed up by names: classes of one name
 * together, and objects that lie on the same path of classes below the virtual root together.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "heap/graph.h"

/** A class, or a path. Sorted by name. */
struct heapsummary_row {
    char *name; /* of a path: "class A > B[] > C" */
    uint64_t objects, shallow, retained;
};

struct heapsummary_rows {
    struct heapsummary_row *rows;
    uint32_t count, room;
};

struct heapsummary {
    int64_t created_ms;
    uint64_t objects, bytes; /* that can be reached */
    struct heapsummary_rows classes, paths;
};

/**
 * Sums a heap up. To be called after graph_dominate(). The summary borrows nothing of the graph.
 *
 * Errors: 0; E_LIMIT: no memory; -errno.    Owner: heapsummary_done(), also after an error.
 */
int heapsummary_make(struct graph *g, struct heapsummary *ret_summary);
void heapsummary_done(struct heapsummary *s);
