/*
 * jfr_table.h - prints events of a JFR file as the rows of a table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "command/tabular.h"
#include "command/textbuf.h"

struct jfr_fit;
struct jfr_printer;
struct jfr_type;
struct jfr_value;

/** A table without rows is all zero, except for `layout` and `out`. */
struct jfr_table {
    char type[256]; /* the event type of the table, which is that of the first event */
    uint32_t columns;
    uint64_t others; /* events of other types */
    const struct jfr_fit *layout;
    struct tabular_out *out; /* gets the rows, if they are sorted or written as data */
    struct tabular data;     /* all rows then */
    struct textbuf text;
    size_t count; /* number of rows in the text */
    size_t more;  /* number of rows after the first `top`, which were not kept */
};

void jfr_table_done(struct jfr_table *t);
/** Adds the fields of an event as a row, unless the table has `top` rows already and keeps their
 * order. Errors stay in
 * t->text. The printer's text is unchanged afterwards. */
void jfr_table_add(struct jfr_table *t, struct jfr_printer *o, const struct jfr_type *type,
                   const struct jfr_value *event, uint32_t top);
/** Gives `top` rows to t->out, if it takes data. Returns whether the table is printed as text, too,
 * with jfr_table_put(). */
bool jfr_table_place(struct jfr_table *t, uint32_t top);
/** Prints `top` rows, and how many more rows there are. Errors: 0, -ENOMEM. */
int jfr_table_put(struct jfr_table *t, struct jfr_printer *o, uint32_t top);
