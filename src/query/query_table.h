/*
 * query_table.h - a table of SQL: its columns, and how its rows are read.
 *
 * A table is a row of data with a few functions (struct query_table_kind). query_vtab.h makes of
 * it what SQLite calls an eponymous virtual table: it is declared when a query names it first, so a
 * thousand tables cost nothing. SQLite passes conditions on columns down if the column says so; it
 * checks each condition again, so a table may return more rows than were asked for.
 * Source: sqlite.org/vtab.html.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sqlite3.h>
#include "query/query_value.h"

struct query;

enum { QUERY_TABLE_COLUMNS_MAX = 1900 }; /* SQLite takes 2000 */

/** The conditions on a column that a table understands. */
enum query_table_ability {
    QUERY_TABLE_EQUAL = 1, /* column = value, column IN (...): fewer rows, but all are looked at */
    QUERY_TABLE_RANGE = 2, /* column < value, and so on */
    QUERY_TABLE_KEY = 4,   /* column = value finds its rows without looking at the others */
};

struct query_table_column {
    const char *name;  /* unlike all others of the table, whatever the case of its letters */
    const char *type;  /* INTEGER, REAL, TEXT or BLOB */
    const char *about; /* a sentence; NULL: none */
    unsigned abilities;
    bool is_hidden; /* `select *` leaves it out */
};

enum query_table_op {
    QUERY_TABLE_EQ,
    QUERY_TABLE_IN, /* `value` is a list: sqlite3_vtab_in_first() */
    QUERY_TABLE_GT,
    QUERY_TABLE_GE,
    QUERY_TABLE_LT,
    QUERY_TABLE_LE,
};

/** A condition. */
struct query_table_bound {
    uint32_t column;
    enum query_table_op op;
    sqlite3_value *value;
};

/** What is wanted of a cursor. Borrowed during the call. */
struct query_table_ask {
    const struct query_table_bound *bounds;
    uint32_t bound_count;
    uint64_t used; /* bit N: column N is wanted; bit 63: some column from 63 on is */
};

struct query_table;

/** A place among the rows of a table. The table's own state follows it. */
struct query_table_cursor {
    const struct query_table *table;
};

/** How rows are read. Errors of all functions: negative, as in base/err.h. */
struct query_table_kind {
    size_t cursor_bytes; /* of the struct that begins with struct query_table_cursor; zeroed */
    /** Begins again. Returns as next(). */
    int (*begin)(struct query_table_cursor *c, const struct query_table_ask *ask);
    /** Goes to the next row. Returns 1; 0: there are no more. */
    int (*next)(struct query_table_cursor *c);
    /** Gives the value of a column; `to` is NULL so far. Errors: 0; negative. */
    int (*column)(struct query_table_cursor *c, struct query_value *to, uint32_t column);
    /** Frees what begin() took. Also called if begin() failed or was never called. NULL: it takes
     * nothing. */
    void (*end)(struct query_table_cursor *c);
};

struct query_table {
    const struct query_table_kind *kind;
    struct query *query; /* borrowed */
    const char *name, *about;
    const struct query_table_column *columns;
    uint32_t column_count;
    bool is_idle;   /* no input has rows for it: lists leave it out */
    uint64_t rows;  /* about how many it has */
    const void *of; /* the kind's own */
};

/** The columns of a table, as two members of struct query_table. */
#define QUERY_TABLE_COLUMNS(rows)                                                                  \
    .columns = (rows), .column_count = sizeof(rows) / sizeof((rows)[0])

/** Whether column `number` is wanted. */
static inline bool query_table_is_used(const struct query_table_ask *ask, uint32_t number)
{
    return ask->used >> (number < 63 ? number : 63) & 1;
}

/** Whether the value is a number, or a text that is one. */
static inline bool query_table_is_number(sqlite3_value *value)
{
    int type = sqlite3_value_numeric_type(value);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/** Gives a text that lives until the query is closed. NULL is NULL. */
static inline void query_table_give_text(struct query_value *to, const char *text)
{
    query_value_kept(to, text, text ? strlen(text) : 0);
}
