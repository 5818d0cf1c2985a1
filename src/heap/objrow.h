/*
 * objrow.h - the members of an object in JSON, and the columns of a table of objects.
 *
 * Each answer that names an object has the same members: "id", "kind", "class" and so on;
 * docs/heap-questions.md lists them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heap/graph.h"
#include "heap/heapanswer.h"

/** The first columns of a table of objects. `retained`, `share`: the titles of these columns; NULL:
 * only JSON has them. */
#define OBJROW_COLUMNS(retained, share)                                                            \
    {"id", NULL, HEAPANSWER_ID, 0}, {"kind", NULL, HEAPANSWER_NAME, 0},                            \
        {"class", NULL, HEAPANSWER_NAME, 0}, {"shallow_bytes", NULL, HEAPANSWER_BYTES, 0},         \
        {"length", NULL, HEAPANSWER_COUNT, 0}, {"retained_bytes", retained, HEAPANSWER_BYTES, 0},  \
        {"percent", share, HEAPANSWER_PERCENT, 0},                                                 \
    {                                                                                              \
        "thread", NULL, HEAPANSWER_NAME, 0                                                         \
    }

/** The column of an object's name, which only people see. */
#define OBJROW_NAME                                                                                \
    {                                                                                              \
        NULL, "object", HEAPANSWER_NAME, 0                                                         \
    }

enum { OBJROW_CELLS = 8 }; /* columns of OBJROW_COLUMNS */

/** A word for a kind of object, "object array" for example. Static. */
const char *objrow_kind(enum graph_kind kind);
/** The share of a size in all reachable bytes, in percent. */
double objrow_share(const struct graph *g, uint64_t bytes);
/** Writes the cells of OBJROW_COLUMNS. */
void objrow_put_cells(struct heapanswer *a, struct graph *g, graph_object object);
/** Writes the cell of OBJROW_NAME. */
void objrow_put_name(struct heapanswer *a, struct graph *g, graph_object object);
/** Writes the members as facts of JSON. */
void objrow_put_members(struct heapanswer *a, struct graph *g, graph_object object);
/** Ends a table of OBJROW_COLUMNS and OBJROW_NAME by a row for people about those that were left
 * out: `count` of them retain `bytes`. */
void objrow_put_rest(struct heapanswer *a, const struct graph *g, uint64_t count, uint64_t bytes);
