/*
 * jfr_datum.h - values of events as cells of a table of data (command/tabular.h): whole numbers
 * where the text for people is rounded.
 *
 * A span is in nanoseconds, a moment in nanoseconds since 1970, an amount in bytes or bits, a share
 * is 1 for the whole, as in the tables of `hprof query`. All other values are the texts of the
 * tables for people. What is N/A there has no value.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct jfr_cell;
struct jfr_column;
struct jfr_printer;
struct jfr_value;
struct tabular;

/** Adds a value of an event as the next cell. The printer's text is unchanged afterwards. */
void jfr_datum_value(struct tabular *t, struct jfr_printer *o, const struct jfr_value *value);
/** Adds a number that is whole if it has no fraction; NAN is nothing. */
void jfr_datum_number(struct tabular *t, double number);
/** Adds a cell of a view; `number` is the result of jfr_cell_number(), or the share made of it. */
void jfr_datum_cell(struct tabular *t, const struct jfr_cell *cell, const struct jfr_column *column,
                    double number);
/** The name of a view's column: its heading as "heap_used", or the name of its field. */
void jfr_datum_key(const struct jfr_column *column, char *to, size_t room);
