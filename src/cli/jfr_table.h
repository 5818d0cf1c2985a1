/*
 * jfr_table.h - events of a JFR file as the rows of a table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/textbuf.h"

struct jfr_printer;
struct jfr_table_row;
struct jfr_type;
struct jfr_value;

enum { JFR_TABLE_NAME = 128 };

/** What is in a table. */
struct jfr_table_how {
    /* Fields, or paths of fields, parted by commas; "event" is the event's type. NULL: the fields
     * of the first event, and rows are of events of its type alone. */
    const char *columns;
    uint32_t keys;     /* of rows whose first so many columns are the same the last one counts; 0:
                        * all rows count */
    const char *order; /* the field by which the largest comes first; NULL: as the events came */
    bool is_form;      /* a line for each field that an event has, in place of a row */
};

struct jfr_table {
    struct jfr_table_how how;
    char type[256]; /* without columns: whose events these are */
    uint32_t columns;
    uint64_t others; /* events of other types */
    struct textbuf text;
    struct jfr_table_row *rows;
    size_t count, room;
    size_t more; /* rows beyond `top`, that were not kept */
};

/** The next name of a list that commas part, in `name`, and *list behind it; false at its end. */
bool jfr_table_name(const char **list, char name[JFR_TABLE_NAME]);
void jfr_table_init(struct jfr_table *t, const struct jfr_table_how *how);
void jfr_table_done(struct jfr_table *t);
/** Adds a row, where so many are not enough: with keys or an order any may yet come to stand among
 * the first. Errors stay in t->text. The printer's text is as it was. */
void jfr_table_add(struct jfr_table *t, struct jfr_printer *o, const struct jfr_type *type,
                   const struct jfr_value *event, uint32_t top);
/** Prints it, `top` rows at most, and how many there are more. Errors: 0, -ENOMEM. */
int jfr_table_put(struct jfr_table *t, struct jfr_printer *o, uint32_t top);
