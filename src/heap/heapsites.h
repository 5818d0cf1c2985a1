/*
 * heapsites.h - the objects that can be reached, by the trace of their allocation.
 *
 * Dumps of the agent have such traces; dumps of the JVM have none. Class objects are left out, and
 * so are traces without frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "heap/graph.h"

/** A trace with the objects that were allocated there. */
struct heapsites_row {
    uint32_t trace;
    uint64_t objects, bytes; /* by their own sizes */
    uint64_t retained;       /* together; what one object dominates of another counts once */
    graph_object largest;
};

struct heapsites {
    struct heapsites_row *rows; /* those that retain most first */
    uint32_t count;
    uint64_t objects, with_trace; /* all objects that can be reached, and those in the rows */
};

/**
 * Finds the sites. To be called after graph_dominate(). Reads the file once.
 *
 * Errors: 0; E_LIMIT: no memory; -errno.    Owner: heapsites_done(), also after an error.
 */
int heapsites_make(struct graph *g, struct heapsites *ret_sites);
void heapsites_done(struct heapsites *s);
