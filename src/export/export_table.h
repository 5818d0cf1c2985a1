/*
 * export_table.h - a table while it is written, and the forms in which it is written.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "query/query_value.h"

struct export_options;
struct export_out;

enum export_type { EXPORT_NUMBER, EXPORT_REAL, EXPORT_TEXT };

struct export_column {
    const char *name; /* unlike all others of the table, whatever the case of its letters */
    enum export_type type;
};

/** A table of one input. The next input has tables of its own, perhaps with other columns. */
struct export_table {
    const char *group; /* events, samples, stacks, frames, threads, inputs */
    const char *type;  /* the type of events, or the kind of samples; NULL: there are no types */
    const struct export_column *columns;
    uint32_t column_count;
    uint32_t key_count; /* the first columns that tell rows apart; 0: none do */
    bool has_day;       /* rows belong to days */
    bool has_service;   /* rows are asked for by service: a form without folders has a column */
    void *state;        /* of the writer, until forget() */
};

/** Where a row belongs. */
struct export_place {
    int64_t day;         /* since 1970, of UTC */
    const char *service; /* the same address as in the row before: the same text */
};

struct export_writer {
    const char *word;
    /** Opens the output. Errors: 0; negative after options->diag was told. Owner: close(), after
     * success. */
    int (*open)(const struct export_options *options, struct export_out **ret_out);
    /** A number that no input in the output has; each further input takes the next one. */
    int64_t (*first_input)(struct export_out *out);
    /** Writes a row: a value for each column. Errors: 0; negative, which close() tells. */
    int (*row)(struct export_out *out, struct export_table *table, const struct export_place *at,
               const struct query_value *values);
    /** The input of the table ends. */
    void (*forget)(struct export_out *out, struct export_table *table);
    /** Gives the files their names; `error` negative: removes them. Errors: `error`, or 0, or
     * negative after the diag was told. */
    int (*close)(struct export_out *out, int error, uint64_t *ret_files);
};

extern const struct export_writer export_sqlite_writer, export_parquet_writer;

/** The days since 1970 of a moment in ns. */
static inline int64_t export_day(int64_t ns)
{
    const int64_t day = INT64_C(86400000000000);
    return ns >= 0 ? ns / day : -((-(ns + 1)) / day) - 1;
}
