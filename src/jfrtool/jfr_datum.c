/*
 * jfr_datum.c - see jfr_datum.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_datum.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/tabular.h"
#include "jfr/jfr_value.h"
#include "jfrtool/jfr_cell.h"
#include "jfrtool/jfr_pretty.h"
#include "jfrtool/jfr_printer.h"

#define WHOLE_END 9223372036854775808.0 /* 2^63 */

void jfr_datum_number(struct tabular *t, double number)
{
    if (number == trunc(number) && number >= -WHOLE_END && number < WHOLE_END)
        tabular_number(t, (int64_t)number);
    else
        tabular_real(t, number);
}

/* Adds the text without blanks and line ends at its end; other line ends become blanks. */
static void put_text(struct tabular *t, const char *text, size_t len)
{
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == ' '))
        len--;
    char *copy = len > 0 ? malloc(len) : NULL;
    if (len == 0) {
        tabular_nothing(t);
        return;
    }
    if (!copy) {
        t->is_bad = true;
        return;
    }
    for (size_t i = 0; i < len; i++)
        copy[i] = text[i] == '\n' ? ' ' : text[i];
    tabular_bytes(t, copy, len);
    free(copy);
}

static void put_amount(struct tabular *t, double real, int64_t whole)
{
    if ((double)whole == real)
        tabular_number(t, whole);
    else
        jfr_datum_number(t, real);
}

void jfr_datum_value(struct tabular *t, struct jfr_printer *o, const struct jfr_value *value)
{
    size_t before = o->text.len;
    double real;
    int64_t whole;
    bool is_number = value->shape == JFR_NUMBER || value->shape == JFR_REAL;
    if (value->shape == JFR_NULL || (is_number && value->field && jfr_units_is_none(value))) {
        tabular_nothing(t);
    } else if (is_number && jfr_units_take(o->chunk, value, &real, &whole)) {
        put_amount(t, real, whole);
    } else {
        jfr_pretty_cell(o, value);
        if (!o->text.is_bad)
            put_text(t, o->text.bytes + before, o->text.len - before);
        o->text.len = before;
    }
}

void jfr_datum_cell(struct tabular *t, const struct jfr_cell *cell, const struct jfr_column *column,
                    double number)
{
    bool is_one = column->sum == JFR_COLUMN_VALUE || column->sum == JFR_COLUMN_LAST ||
                  column->sum == JFR_COLUMN_BATCH;
    if (column->is_share || (!is_one && column->sum != JFR_COLUMN_SET))
        jfr_datum_number(t, number);
    else if (is_one && cell->count > 0)
        put_amount(t, cell->number, cell->first);
    else
        put_text(t, cell->text ? cell->text : "", cell->text ? strlen(cell->text) : 0);
}

void jfr_datum_key(const struct jfr_column *column, char *to, size_t room)
{
    if (column->heading[0] != '\0')
        tabular_key(column->heading, to, room);
    else
        snprintf(to, room, "%s", column->fields);
}
