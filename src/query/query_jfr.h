/*
 * query_jfr.h - the tables of JFR inputs: one for each type of events, and `events` for all.
 *
 * A table has the fields of its type in all chunks of all inputs as columns; a field that an event
 * lacks is NULL. A structure has a column for each of its fields, named like the path to it:
 * "before.used". After the fields come the columns that all types have (enum query_jfr_common), but
 * for those whose name a field has already. They are hidden where they repeat a field.
 * Memory: the names and columns of all types; at most QUERY_TABLE_COLUMNS_MAX columns for a type.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/lookup.h"
#include "profile/table.h"
#include "query/query_table.h"

struct query;
struct query_names;

/** What can be asked of an event of any type. */
enum query_jfr_common {
    QUERY_JFR_TYPE,
    QUERY_JFR_START,
    QUERY_JFR_DURATION,
    QUERY_JFR_THREAD,
    QUERY_JFR_THREAD_ID,
    QUERY_JFR_STACK,
    QUERY_JFR_BYTES,
    QUERY_JFR_INPUT,
    QUERY_JFR_EVENT,
    QUERY_JFR_COMMONS,
};

/** A column that is a field. */
struct query_jfr_field {
    const char *path; /* the names of the fields, separated by dots */
    bool needs_constants;
    bool is_thread_id; /* the number of the thread in the field `path` */
    bool is_signature; /* the method in the field `path`, with the types of its parameters */
    uint8_t shape;     /* enum query_shape of the field */
};

struct query_jfr_type {
    struct query_table table;
    const char *name;                   /* of the type in the files */
    uint32_t number;                    /* from 0 */
    struct query_table_column *columns; /* those of the fields, then the common ones */
    struct query_jfr_field *fields;
    uint32_t field_count, room;
    uint8_t common[QUERY_JFR_COMMONS]; /* of the columns behind the fields */
    struct lookup by_path;
    struct query_names *names;
    uint64_t left_out; /* fields for which there was no column */
};

struct query_jfr {
    struct query *query;
    const struct query_table_kind *kind; /* of all tables */
    struct lookup_key key;
    struct lookup by_name;
    struct table types;           /* struct query_jfr_type * */
    struct query_jfr_type events; /* the table `events` */
};

/** Reads the types of all JFR inputs and adds their tables, whose rows `kind` reads. Errors: 0;
 * -ENOMEM. */
int query_jfr_open(struct query *q, const struct query_table_kind *kind);
void query_jfr_close(struct query_jfr *jfr);
/** The type with this name; NULL: no input has it. */
struct query_jfr_type *query_jfr_find(const struct query_jfr *jfr, const char *name);
uint32_t query_jfr_count(const struct query_jfr *jfr);
/** Type 0 to query_jfr_count() - 1. */
const struct query_jfr_type *query_jfr_at(const struct query_jfr *jfr, uint32_t number);
