/*
 * tabular.h - the rows of a table as data: what --sort COLUMN[:asc|desc], --table NAME and --format
 * text|csv|json mean, the same for every command that prints tables.
 *
 * A command fills a struct tabular with its rows, gives it to tabular_place(), and prints its own
 * text for people in the order that the rows have then. For programs, the rows go to a struct
 * tabular_out, which writes CSV (RFC 4180) or one array of JSON objects when all is known: nothing
 * is written if the user asked for a column or table that there is not. Knows no JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "command/textbuf.h"

struct sink;

enum tabular_form { TABULAR_TEXT, TABULAR_CSV, TABULAR_JSON };

/** The help texts of the options, the same in each command. */
#define TABULAR_SORT_HELP "order the rows by this column; COLUMN:asc or COLUMN:desc names the way"
#define TABULAR_FORMAT_HELP "write rows as csv or json; text is for people (text)"

/** What the command line asks for. All zero: text, each table in its own order. */
struct tabular_how {
    enum tabular_form form;
    const char *sort;  /* COLUMN[:asc|desc]; NULL: not given */
    const char *table; /* only the table of this name; NULL: all */
};

/** The word of a form; NULL behind the last one. */
const char *tabular_form_word(int form);
/** The form with this word; -1: there is none. */
int tabular_form_named(const char *word);
/** Takes the value of --format. Errors: 0; E_SYNTAX after saying what `command` wants. */
int tabular_take_form(const char *command, const char *value, enum tabular_form *ret_form);
/** Takes the value of --sort. Errors: as above. */
int tabular_take_sort(const char *command, const char *value, const char **ret_sort);

/* ---- a table */

struct tabular_cell {
    enum { TABULAR_NOTHING, TABULAR_NUMBER, TABULAR_UNSIGNED, TABULAR_REAL, TABULAR_WORDS } kind;
    union {
        int64_t number;
        uint64_t whole;
        double real;
        size_t text; /* offset in tabular.texts */
    } as;
};

/** Columns, and cells row by row. All zero: empty. Sticky: without memory `is_bad` stays set. */
struct tabular {
    const char *name;     /* of the table, for --table; borrowed */
    struct textbuf keys;  /* the names of the columns, each with a NUL */
    struct textbuf texts; /* the texts of the cells, each with a NUL */
    struct tabular_cell *cells;
    size_t count, room; /* cells */
    size_t *order;      /* the rows in the order of --sort; NULL: as they came */
    uint32_t columns;
    bool is_bad;
};

void tabular_done(struct tabular *t);
/** Adds a column, before the first row. `key` is its name for --sort, CSV and JSON. */
void tabular_column(struct tabular *t, const char *key);
/** Adds several columns, whose names are separated by blanks. */
void tabular_columns(struct tabular *t, const char *keys);
/** Add the next cell: rows are filled from the left. */
void tabular_number(struct tabular *t, int64_t number);
void tabular_unsigned(struct tabular *t, uint64_t number);
/** NAN and infinite numbers are nothing. */
void tabular_real(struct tabular *t, double number);
/** NULL is nothing. */
void tabular_text(struct tabular *t, const char *text);
void tabular_bytes(struct tabular *t, const char *text, size_t len);
void tabular_nothing(struct tabular *t);
size_t tabular_rows(const struct tabular *t);
/** The number of the row that stands at place `i`, which is below tabular_rows(). */
size_t tabular_at(const struct tabular *t, size_t i);
/** Writes "Heap used (bytes)" as "heap_used_bytes": a heading as the name of a column. */
void tabular_key(const char *heading, char *to, size_t room);

/* ---- all tables of a command */

struct tabular_out {
    const struct tabular_how *how;
    const char *command;
    bool has_inputs;     /* several inputs: the first column is `input` */
    const char *chooser; /* the option that names one table, for messages; NULL: none */
    bool has_tables;     /* the command has tables of several names: a member `table` of JSON */
    const char *input;

    struct textbuf text, heads; /* what is written at the end; the names of its columns */
    struct textbuf names;       /* the names of the tables that had rows, each with a NUL */
    struct textbuf known;       /* for messages: the columns of each table */
    uint32_t table_count;
    bool is_answered; /* there is an answer, even if no table has come */
    bool is_sorted;   /* a table had the column of --sort */
    bool is_refused;  /* tabular_check() has said what there is not */
    bool is_mixed;    /* tables differ in their columns */
    bool is_bad;
};

/** Whether rows are wanted as data, so that the text for people is left out. */
bool tabular_is_data(const struct tabular_how *how);
/** Whether rows must be filled in: they are sorted, or written as data. */
bool tabular_wants_rows(const struct tabular_how *how);
/**
 * Takes a table: puts its rows in the wanted order, and for data writes the first `top` rows (0:
 * all). Returns whether the caller prints the table as text; false: it is written, or its name is
 * not the wanted one.
 */
bool tabular_place(struct tabular_out *out, struct tabular *t, size_t top);
/** Whether the table of this name is wanted. A name that is not is remembered for the message. */
bool tabular_has(struct tabular_out *out, const char *name);
/**
 * Says whether there is what --sort and --table ask for. Errors: 0; E_NOT_FOUND after saying which
 * columns or tables there are; E_UNSUPPORTED after saying why it cannot be CSV; -ENOMEM.
 */
int tabular_check(struct tabular_out *out);
/** Writes all data to standard output, if tabular_check() finds no fault. Errors: as above, or the
 * output's. Frees what `out` holds. */
int tabular_finish(struct tabular_out *out);
/** The exit status of a command: `status`, unless tabular_finish() had an error. */
int tabular_status(int error, int status);
/** Frees what `out` holds, without writing. */
void tabular_drop(struct tabular_out *out);
/** Writes the table as text: names of columns, then at most `top` rows (0: all), numbers to the
 * right. */
void tabular_print(const struct tabular *t, size_t top, struct sink *to);

/** Writes a field of CSV: in quotes if it needs them. */
void tabular_put_csv(struct sink *to, const char *text, size_t len);
