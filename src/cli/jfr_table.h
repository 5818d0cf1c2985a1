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

struct jfr_fit;
struct jfr_printer;
struct jfr_type;
struct jfr_value;

/** All zero but `layout`: no row has come. */
struct jfr_table {
    char type[256]; /* whose events these are: the first one's */
    uint32_t columns;
    uint64_t others; /* events of other types */
    const struct jfr_fit *layout;
    struct textbuf text;
    size_t count; /* rows in the text */
    size_t more;  /* rows beyond `top`, that were not kept */
};

void jfr_table_done(struct jfr_table *t);
/** Adds a row, the fields of the event, where so many are not enough. Errors stay in t->text. The
 * printer's text is as it was. */
void jfr_table_add(struct jfr_table *t, struct jfr_printer *o, const struct jfr_type *type,
                   const struct jfr_value *event, uint32_t top);
/** Prints it, and how many there are more. Errors: 0, -ENOMEM. */
int jfr_table_put(struct jfr_table *t, struct jfr_printer *o);
