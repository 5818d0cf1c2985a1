/*
 * heaptally.h - counts the objects of a dump by class, in one pass over a stream.
 *
 * Memory grows with the classes and names of the dump, and not with its objects, so a dump of any
 * length can come through a pipe. What an object retains, and what can be reached, needs the graph
 * (graph.h). The own sizes are those of the graph; but an object that a damaged file has twice
 * counts twice.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heap/graph_types.h"

struct heapinput;
struct heaptally;

/** A class, and its objects. */
struct heaptally_row {
    const char *name; /* as in graph_class_info; borrowed from the tally */
    uint64_t objects, bytes;
};

/**
 * Counts the chosen dump of a stream, by default the last one. Of `options` the memory, the
 * dump and the formula of sizes count.
 *
 * Errors: as graph_open(); `ret_why` is then one line without the name of the input. A damaged
 *         stream is no error: see graph_facts.
 * Owner:  heaptally_free().
 */
int heaptally_read(const struct heapinput *in, const struct graph_options *options,
                   struct heaptally **ret, char ret_why[GRAPH_WHY]);
void heaptally_free(struct heaptally *t);

/** What is known of the dump: `roots`, and what needs the graph, is 0. */
const struct graph_facts *heaptally_facts(const struct heaptally *t);
/** The classes with objects, those with most bytes first. */
const struct heaptally_row *heaptally_rows(const struct heaptally *t, uint32_t *ret_count);
