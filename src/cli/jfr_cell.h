/*
 * jfr_cell.h - the values of one column in one row, taken together as they come.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/jfr_column.h"

struct jfr_printer;
struct jfr_record;
struct jfr_value;
struct textbuf;

/** All zero: nothing has come. */
struct jfr_cell {
    uint64_t events, count; /* events with the field, and those with a number */
    double number;          /* sum or extreme of the numbers, or the only one */
    int64_t first, last;    /* of a difference; of a batch when the last event ended */
    char *text;             /* with a NUL; of a set lines of them */
    double *numbers;        /* of a percentile, `count` of them */
    const uint8_t *record;  /* the event whose value is the last, while its chunk is open */
};

/** Adds the value of an event that ended then. Returns false without memory. The printer's text is
 * as it was. */
bool jfr_cell_add(struct jfr_cell *cell, struct jfr_column *column, struct jfr_printer *o,
                  const struct jfr_value *value, const struct jfr_record *record, int64_t end_ns);
/** Takes the text of a value. Returns false without memory. */
bool jfr_cell_take(struct jfr_cell *cell, struct jfr_printer *o, const struct jfr_value *value);
/** Whether the column's values are numbers, and which this one is: NAN for none. */
bool jfr_cell_number(struct jfr_cell *cell, const struct jfr_column *column, double *ret_number);
/** Writes it; `number` is what jfr_cell_number() said, or of a share what became of it. Several
 * values, and lines of a text, are one line, unless `has_lines`. */
void jfr_cell_put(const struct jfr_cell *cell, const struct jfr_column *column, double number,
                  bool has_lines, struct textbuf *t);
void jfr_cell_done(struct jfr_cell *cell);
