/*
 * heapsummary.h - what a comparison needs of a heap: its classes, the paths of the dominator tree
 * that retain much, and the sites of allocation, as texts.
 *
 * Two dumps have nothing in common but names, so both are summed up by names: classes of one name
 * together, objects that lie on the same path of classes below the virtual root together, and
 * objects whose allocations have the same innermost frames. A saved histogram has classes alone,
 * without retained sizes.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heap/graph.h"

/** A class, a path or a site. Sorted by name. */
struct heapsummary_row {
    char *name; /* of a path: "class A > B[] > C"; of a site: "A.a(A.java:3) < B.b(B.java:7)" */
    uint64_t objects, shallow, retained;
};

struct heapsummary_rows {
    struct heapsummary_row *rows;
    uint32_t count, room;
};

/** Adds a row. `name` is taken over; NULL: there was no memory for it. Errors: 0; E_LIMIT: no
 * memory. Owner: heapsummary_rows_done(). */
int heapsummary_add(struct heapsummary_rows *r, char *name, uint64_t objects, uint64_t shallow,
                    uint64_t retained);
/** Sorts the rows, and makes one row of those with the same name. */
void heapsummary_merge(struct heapsummary_rows *r);
void heapsummary_rows_done(struct heapsummary_rows *r);

struct heapsummary {
    int64_t created_ms;
    uint64_t objects, bytes; /* that can be reached */
    bool is_histogram;       /* saved, by heapsummary_read() */
    struct heapsummary_rows classes, paths, sites;
};

/**
 * Sums a heap up. To be called after graph_dominate(). The summary borrows nothing of the graph.
 *
 * Errors: 0; E_LIMIT: no memory; -errno.    Owner: heapsummary_done(), also after an error.
 */
int heapsummary_make(struct graph *g, struct heapsummary *ret_summary);
/** Reads a saved histogram (heaphisto.h) as a summary. Its time is that of the file's last change.
 * Errors: those of heaphisto_read(); E_LIMIT. Owner: as above. */
int heapsummary_read(const char *path, struct heapsummary *ret_summary);
void heapsummary_done(struct heapsummary *s);
