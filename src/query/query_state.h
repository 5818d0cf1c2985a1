/*
 * query_state.h - what the files of this folder share: a query with its inputs and tables.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>
#include "base/arena.h"
#include "profile/profile.h"
#include "query/query_input.h"
#include "query/query_options.h"
#include "query/query_table.h"

struct query_functions;
struct query_heap;
struct query_live;
struct query_jfr;
struct query_names;
struct query_samples;
struct query_threads;

/** The tables, in the order of --schema. */
struct query_tables {
    const struct query_table **of;
    size_t count, room;
};

/** The names of frames, made when they are asked for: query_stack_frame_name(). */
struct query_frame_names {
    string_id *of; /* by frame; 0: not made yet */
    size_t room;
};

struct query {
    struct query_options options;
    sqlite3 *db;
    struct arena arena; /* names, columns and tables */
    struct query_input *inputs;
    size_t input_count;
    struct query_tables tables;
    struct query_names *names; /* of the tables */
    struct profile *model;     /* stacks and texts of all inputs */
    struct query_frame_names frame_names;
    struct query_jfr *jfr;
    struct query_threads *threads;
    struct query_samples *samples;
    struct query_functions *functions;
    struct query_heap *heap;
    struct query_live *live;
    int (*load)(struct query *q); /* query_load_all() */
    uint64_t ends_ns;             /* when the time of a statement is over; 0: never */
    const char *refused;          /* what the authorizer refused; NULL: nothing */
    bool is_damaged, is_loaded;
};

/** Adds a table under its own name, and as `alias` unless that is NULL. Errors: 0, -ENOMEM. */
int query_add_table(struct query *q, const struct query_table *table, const char *alias);
/** Adds a copy of a table, which the query then owns. Errors: 0, -ENOMEM. */
int query_add_copy(struct query *q, const struct query_table *table);

/** Gives a string of the model; 0 is NULL. */
static inline void query_give_string(const struct query *q, struct query_value *to, string_id id)
{
    const struct profile_string *text = id ? profile_string_at(q->model, id) : NULL;
    if (text)
        query_value_kept(to, text->bytes, text->len);
}
