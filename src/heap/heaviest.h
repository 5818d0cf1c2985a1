/*
 * heaviest.h - of many objects those with the largest retained sizes, in order.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heap/graph.h"

struct heaviest {
    struct graph *graph;
    graph_object *objects; /* the caller's, with `room` places */
    uint32_t room, count;
    uint64_t seen, bytes; /* of all that came, with the sum of their retained sizes */
};

/** A graph_visit_number that keeps the largest; `with` is the struct. */
bool heaviest_keep(void *with, graph_object object);
/** What those that were not kept retain together. */
uint64_t heaviest_rest(const struct heaviest *h);
