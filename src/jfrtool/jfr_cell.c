/*
 * jfr_cell.c - see jfr_cell.h.
 *
 * In a column of last values, a value becomes a text only when its chunk ends, because later values
 * of the chunk replace it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_cell.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "jfrtool/jfr_path.h"
#include "jfrtool/jfr_pretty.h"
#include "jfrtool/jfr_printer.h"
#include "jfr/jfr_value.h"

enum { NUMBERS_MIN = 16 };

void jfr_cell_done(struct jfr_cell *cell)
{
    free(cell->text);
    free(cell->numbers);
}

/* Writes the value's text with a NUL at the end of the printer's text. The caller removes it
 * again. */
static const char *text_at(struct jfr_printer *o, const struct jfr_value *value)
{
    size_t start = o->text.len;
    jfr_pretty_cell(o, value);
    textbuf_char(&o->text, '\0');
    return o->text.is_bad ? NULL : o->text.bytes + start;
}

bool jfr_cell_take(struct jfr_cell *cell, struct jfr_printer *o, const struct jfr_value *value)
{
    size_t before = o->text.len;
    const char *text = text_at(o, value);
    char *copy = text ? strdup(text) : NULL;
    o->text.len = before;
    free(cell->text);
    cell->text = copy;
    return copy != NULL;
}

/* Adds a line for the text of the value, unless the cell has this text already. */
static bool add_to_set(struct jfr_cell *cell, struct jfr_printer *o, const struct jfr_value *value)
{
    size_t before = o->text.len, len = cell->text ? strlen(cell->text) : 0;
    const char *text = text_at(o, value);
    bool is_there = false;
    if (text && jfr_path_is_thread(value)) { /* two threads may have the same name */
        textbuf_printf(&o->text, " %" PRIu64, jfr_path_thread_id(o, value));
        textbuf_char(&o->text, '\0');
        text = o->text.is_bad ? NULL : o->text.bytes + before + strlen(o->text.bytes + before) + 1;
    }

    for (const char *at = cell->text; text && at && !is_there; at = strchr(at, '\n')) {
        at += *at == '\n';
        is_there = strncmp(at, text, strlen(text)) == 0 && strchr("\n", at[strlen(text)]);
    }
    char *longer = text && !is_there ? realloc(cell->text, len + strlen(text) + 2) : NULL;
    if (longer) {
        if (len > 0)
            longer[len++] = '\n';
        memcpy(longer + len, text, strlen(text) + 1);
        cell->text = longer;
        cell->count++;
    }
    o->text.len = before;
    return longer || is_there;
}

static bool add_number(struct jfr_cell *cell, double number)
{
    uint64_t n = cell->count;
    if (n == 0 || (n >= NUMBERS_MIN && (n & (n - 1)) == 0)) {
        double *longer =
            realloc(cell->numbers, (n == 0 ? NUMBERS_MIN : n * 2) * sizeof(*cell->numbers));
        if (!longer)
            return false;
        cell->numbers = longer;
    }
    cell->numbers[n] = number;
    return true;
}

static bool add_amount(struct jfr_cell *cell, const struct jfr_column *column, double real,
                       int64_t whole)
{
    bool is_first = cell->count == 0;
    switch (column->sum) {
    case JFR_COLUMN_MINIMUM:
        cell->number = is_first || real < cell->number ? real : cell->number;
        break;
    case JFR_COLUMN_MAXIMUM:
        cell->number = is_first || real > cell->number ? real : cell->number;
        break;
    case JFR_COLUMN_DIFFERENCE:
        cell->first = is_first ? whole : cell->first;
        cell->last = whole;
        break;
    case JFR_COLUMN_PERCENTILE:
        if (!add_number(cell, real))
            return false;
        break;
    default:
        cell->number += real;
    }
    cell->count++;
    return true;
}

/* Takes a value that is shown unchanged. Its number is used only to sort rows. */
static bool add_value(struct jfr_cell *cell, struct jfr_column *column, struct jfr_printer *o,
                      const struct jfr_value *value, const struct jfr_record *record,
                      int64_t end_ns)
{
    double real;
    int64_t whole;
    bool is_last = column->sum != JFR_COLUMN_VALUE;
    if (!is_last && (cell->text || value->shape == JFR_NULL)) {
        /* A null class loader is the VM's own. The JDK's view prints this text for it. */
        if (!cell->text && value->type &&
            strcmp(value->type->known_as, "jdk.types.ClassLoader") == 0)
            cell->text = strdup("null-bootstrap");
        return true;
    }
    cell->count = jfr_units_take(o->chunk, value, &real, &whole);
    if (cell->count > 0) {
        cell->number = real;
        cell->first = whole;
    }
    if (column->sum == JFR_COLUMN_BATCH)
        cell->last = end_ns;
    if (!is_last)
        return jfr_cell_take(cell, o, value);
    cell->record = record->bytes;
    return true;
}

bool jfr_cell_add(struct jfr_cell *cell, struct jfr_column *column, struct jfr_printer *o,
                  const struct jfr_value *value, const struct jfr_record *record, int64_t end_ns)
{
    double real;
    int64_t whole;
    cell->events++;
    if (column->sum == JFR_COLUMN_COUNT)
        return true;
    if (column->sum == JFR_COLUMN_UNIQUE || column->sum == JFR_COLUMN_SET)
        return value->shape == JFR_NULL || add_to_set(cell, o, value);
    if (!column->has_numbers && jfr_units_take(o->chunk, value, &real, &whole)) {
        column->unit = jfr_units_of(value);
        column->has_numbers = true;
    }
    if (column->sum == JFR_COLUMN_VALUE || column->sum == JFR_COLUMN_LAST ||
        column->sum == JFR_COLUMN_BATCH)
        return add_value(cell, column, o, value, record, end_ns);
    return !jfr_units_take(o->chunk, value, &real, &whole) || add_amount(cell, column, real, whole);
}

static int by_number(const void *left, const void *right)
{
    double l = *(const double *)left, r = *(const double *)right;
    return (l > r) - (l < r);
}

/* The percentile as the JDK's tool computes it. The place of the percentile is its fraction of
 * (count + 1), and the smallest number has place 1. Between two numbers the value is interpolated.
 * A fraction of a nanosecond is dropped. */
static double percentile(struct jfr_cell *cell, const struct jfr_column *column)
{
    double place = (double)(cell->count + 1) * column->percentile;
    uint64_t at = (uint64_t)place;
    qsort(cell->numbers, cell->count, sizeof(*cell->numbers), by_number);
    if (at < 1)
        return cell->numbers[0];
    if (at >= cell->count)
        return cell->numbers[cell->count - 1];
    double before = cell->numbers[at - 1];
    double between = before + (place - (double)at) * (cell->numbers[at] - before);
    return column->unit.kind == JFR_UNITS_SPAN ? trunc(between) : between;
}

/* A single stamp gives no difference. A single number of another kind gives 0. */
static double difference(const struct jfr_cell *cell, const struct jfr_column *column)
{
    uint64_t first = (uint64_t)cell->first, last = (uint64_t)cell->last;
    if (cell->count == 0 || (cell->count == 1 && column->unit.kind == JFR_UNITS_STAMP))
        return NAN;
    return cell->last < cell->first ? -(double)(first - last) : (double)(last - first);
}

bool jfr_cell_number(struct jfr_cell *cell, const struct jfr_column *column, double *ret_number)
{
    *ret_number = NAN;
    switch (column->sum) {
    case JFR_COLUMN_COUNT:
        *ret_number = (double)cell->events;
        return true;
    case JFR_COLUMN_UNIQUE:
        *ret_number = (double)cell->count;
        return true;
    case JFR_COLUMN_SET:
        return false;
    case JFR_COLUMN_AVERAGE:
        *ret_number = cell->count > 0 ? cell->number / (double)cell->count : NAN;
        break;
    case JFR_COLUMN_PERCENTILE:
        *ret_number = cell->count > 0 ? percentile(cell, column) : NAN;
        break;
    case JFR_COLUMN_DIFFERENCE:
        *ret_number = difference(cell, column);
        break;
    default:
        *ret_number = cell->count > 0 ? cell->number : NAN;
    }
    return column->has_numbers;
}

static bool shows_text(const struct jfr_column *column)
{
    return !column->is_share &&
           (column->sum == JFR_COLUMN_VALUE || column->sum == JFR_COLUMN_LAST ||
            column->sum == JFR_COLUMN_BATCH || column->sum == JFR_COLUMN_SET);
}

/* Writes the text without blanks and line ends at its end; `line_end` replaces each other line
 * end. */
static void put_text(const char *text, const char *line_end, struct textbuf *t)
{
    size_t len = text ? strlen(text) : 0;
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == ' '))
        len--;
    if (len == 0)
        textbuf_text(t, "N/A");
    for (size_t i = 0; i < len; i++)
        textbuf_bytes(t, text[i] == '\n' ? line_end : text + i,
                      text[i] == '\n' ? strlen(line_end) : 1);
}

void jfr_cell_put(const struct jfr_cell *cell, const struct jfr_column *column, double number,
                  bool has_lines, struct textbuf *t)
{
    struct jfr_units unit = column->unit;
    if (shows_text(column)) {
        put_text(cell->text, has_lines ? "\n" : column->sum == JFR_COLUMN_SET ? ", " : " ", t);
        return;
    }
    if (column->is_share)
        unit.kind = JFR_UNITS_SHARE;
    else if (column->sum == JFR_COLUMN_COUNT || column->sum == JFR_COLUMN_UNIQUE)
        unit.kind = JFR_UNITS_COUNT;
    else if (unit.kind == JFR_UNITS_STAMP)
        unit.kind = JFR_UNITS_SPAN;
    jfr_units_put(t, unit, number);
}
