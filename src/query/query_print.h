/*
 * query_print.h - writes the rows of an answer: as a table, CSV, lines of JSON, Markdown or HTML.
 *
 * A table needs the widths of its columns, so its first rows wait in memory; the rest may be wider.
 * Texts of inputs are written in the way that each form has for foreign text.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include "command/textbuf.h"

struct sink;

/** How answers are written. */
enum query_print_form {
    QUERY_FORM_TABLE,
    QUERY_FORM_CSV,
    QUERY_FORM_JSON,
    QUERY_FORM_MD,
    QUERY_FORM_HTML
};

/** The form with this word; -1: none. query_print_form_word(): NULL behind the last one. */
int query_print_form_named(const char *word);
const char *query_print_form_word(int form);

struct query_print {
    enum query_print_form form;
    struct sink *out;
    sqlite3_stmt *names; /* its columns have the names */
    int columns;
    struct query_print_column {
        size_t width;
        bool is_number; /* all values so far are numbers: they stand at the right */
    } * of;
    struct textbuf kept; /* the cells of the first rows, each with a NUL behind it */
    uint64_t rows;       /* so far */
    uint64_t kept_rows;
    bool is_flowing; /* the widths are fixed */
};

/** Begins an answer, whose columns are named as those of `names`. Errors: 0, -ENOMEM. Owner:
 * query_print_end(), also after an error. */
int query_print_begin(struct query_print *p, enum query_print_form form, struct sink *out,
                      sqlite3_stmt *names);
/** Writes the current row of the statement. */
void query_print_row(struct query_print *p, sqlite3_stmt *statement);
/** Ends the answer. `is_whole` false: the answer was cut, or ended by an error. */
void query_print_end(struct query_print *p, bool is_whole);
