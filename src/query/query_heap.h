/*
 * query_heap.h - the heap dumps among the inputs: their graphs, and a row for each object.
 *
 * A graph is opened when a query asks a table of heaps first; dominators are computed when retained
 * sizes are wanted. What a scan needs of each object is written once into a temporary file, 32
 * bytes an object, which is mapped. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "heap/graph.h"

struct query;

/** What the file says of an object, as in struct graph_info. */
struct query_heap_row {
    uint64_t at : 48, kind : 4, element_type : 4;
    uint64_t bytes, shallow_bytes;
    graph_class klass;
    uint32_t count; /* of a class: the number of the class that it stands for */
};

struct query_heap_dump {
    struct graph *graph;
    uint32_t input;
    struct query_heap_row *rows; /* by object; NULL: not read yet */
    bool is_dominated;
};

struct query_heap {
    struct query_heap_dump *dumps;
    size_t count;
    bool is_open;
};

/** Adds the tables and functions. Errors: 0, -ENOMEM. */
int query_heap_open(struct query *q);
void query_heap_close(struct query_heap *heap);
/** Tells the diag, and sets q->is_damaged, if the tables of a graph failed below the answers. */
void query_heap_check(struct query *q);
/** How many inputs may hold a heap dump. */
size_t query_heap_inputs(const struct query *q);
/** Opens the graphs of all inputs, once. Errors: 0; negative after the diag was told. */
int query_heap_read(struct query *q);
/** Reads the rows of a dump, once. Errors: 0; negative. */
int query_heap_list(struct query *q, struct query_heap_dump *dump);
/** Computes the dominators of a dump, once. Errors: 0; negative after the diag was told. */
int query_heap_dominate(struct query *q, struct query_heap_dump *dump);
/** The object as graph_look() describes it. The rows must have been read. */
struct graph_info query_heap_info(const struct query_heap_dump *dump, graph_object object);
/** Adds the tables. Errors: 0, -ENOMEM. */
int query_heap_tables_open(struct query *q);
