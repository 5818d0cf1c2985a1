/*
 * jfr_cell.h - one cell of a table: the values of one column in one row, summed up as they come.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jfrtool/jfr_column.h"

struct jfr_printer;
struct jfr_record;
struct jfr_value;
struct textbuf;

/** A cell that is all zero has no value yet. */
struct jfr_cell {
    uint64_t events, count; /* events with the field, and events with a number in it */
    double number;          /* the sum or extreme of the numbers, or the only number */
    /* For a difference. Of a value that is shown unchanged, `first` is its whole number; for a
     * batch, `last` is when its last event ended. */
    int64_t first, last;
    char *text;            /* ends with NUL; a set has a line for each text */
    double *numbers;       /* for a percentile: `count` numbers */
    const uint8_t *record; /* the event that has the last value, while its chunk is open */
};

/** Adds the value of an event that ended at `end_ns`. Returns false if there is no memory. The text
 * in the printer is unchanged afterwards. */
bool jfr_cell_add(struct jfr_cell *cell, struct jfr_column *column, struct jfr_printer *o,
                  const struct jfr_value *value, const struct jfr_record *record, int64_t end_ns);
/** Turns a value into the text of the cell. Returns false if there is no memory. */
bool jfr_cell_take(struct jfr_cell *cell, struct jfr_printer *o, const struct jfr_value *value);
/** Whether the column shows numbers. *ret_number is the number of this cell; NAN: none. */
bool jfr_cell_number(struct jfr_cell *cell, const struct jfr_column *column, double *ret_number);
/** Writes the cell. `number` is the result of jfr_cell_number(), or the share that the caller made
 * of it. Several values, and the lines of a text, are written into one line, unless `has_lines` is
 * set. */
void jfr_cell_put(const struct jfr_cell *cell, const struct jfr_column *column, double number,
                  bool has_lines, struct textbuf *t);
void jfr_cell_done(struct jfr_cell *cell);
