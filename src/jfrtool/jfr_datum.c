/*
 * jfr_datum.c - see jfr_datum.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_datum.h"
#include <math.h>
#include <stdio.h>
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

/* The tables for people have these words for a value that is missing. */
static void put_text(struct tabular *t, const char *text, size_t len)
{
    static const char missing[] = "N/A";
    if (len == 0 || (len == sizeof(missing) - 1 && memcmp(text, missing, len) == 0))
        tabular_nothing(t);
    else
        tabular_bytes(t, text, len);
}

/* A set has its texts in lines. */
static void put_set(struct tabular *t, const char *lines)
{
    struct textbuf text = {0};
    for (; *lines != '\0'; lines++)
        textbuf_bytes(&text, *lines == '\n' ? ", " : lines, *lines == '\n' ? 2 : 1);
    t->is_bad |= text.is_bad;
    put_text(t, text.bytes ? text.bytes : "", text.len);
    textbuf_done(&text);
}

/* A span without end has no number. */
static void put_amount(struct tabular *t, struct jfr_units unit, double real, int64_t whole)
{
    if (unit.kind == JFR_UNITS_SPAN && real >= WHOLE_END)
        tabular_nothing(t);
    else if ((double)whole == real)
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
        put_amount(t, jfr_units_of(value), real, whole);
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
        put_amount(t, column->unit, cell->number, cell->first);
    else if (column->sum == JFR_COLUMN_SET)
        put_set(t, cell->text ? cell->text : "");
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
