/*
 * jfr_result.c - see jfr_result.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_result.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "jfrtool/jfr_cell.h"
#include "jfrtool/jfr_fit.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_query.h"

enum { WIDTH_MAX = 60, BASE = 10, FORM_LINES = 1000 };

struct line {
    const struct jfr_query *query;
    struct jfr_query_row *row;
    double *numbers; /* one for each column */
};

struct result {
    struct jfr_query *query;
    const struct jfr_fit *layout;
    struct line *lines;
    size_t count, shown;
    double *numbers;
    bool is_number[JFR_COLUMN_MAX];
    struct textbuf text; /* the headings, then the cells of the shown lines, each with NUL */
    size_t widths[JFR_COLUMN_MAX];
};

static bool was_in_last_batch(const struct jfr_query *q, const struct jfr_query_row *row)
{
    for (uint32_t i = 0; i < q->column_count; i++)
        if (q->columns[i].sum == JFR_COLUMN_BATCH && row->cells[i].events > 0 &&
            row->cells[i].last != q->columns[i].batch_ns)
            return false;
    return true;
}

static int compare_cells(const struct line *x, const struct line *y, uint32_t column,
                         bool is_downward)
{
    double l = x->numbers[column], r = y->numbers[column];
    const char *left = x->row->cells[column].text, *right = y->row->cells[column].text;
    int compared = l < r ? -1 : l > r;
    if (isnan(l) && isnan(r) && left && right)
        compared = strcmp(left, right);
    else if (isnan(l) || isnan(r))
        return isnan(l) - isnan(r);
    return is_downward ? -compared : compared;
}

/* Compares by an order such as "-2,+1". Equal rows stay in their order: this needs an explicit
 * comparison, because qsort() is not stable. */
static int compare(const void *left, const void *right)
{
    const struct line *x = left, *y = right;
    const char *order = x->query->named->order;
    while (*order != '\0') {
        char *end;
        unsigned long column = strtoul(order + 1, &end, BASE);
        int compared = compare_cells(x, y, (uint32_t)column - 1, *order == '-');
        if (compared != 0)
            return compared;
        order = end + (*end == ',');
    }
    return (x->row > y->row) - (x->row < y->row);
}

static bool take_lines(struct result *r)
{
    struct jfr_query *q = r->query;
    r->lines = calloc(q->count + 1, sizeof(*r->lines));
    r->numbers = calloc((q->count + 1) * q->column_count, sizeof(*r->numbers));
    if (!r->lines || !r->numbers)
        return false;
    for (size_t i = 0; i < q->count; i++) {
        double *numbers = r->numbers + r->count * q->column_count;
        if (!q->rows[i].is_wanted || !was_in_last_batch(q, &q->rows[i]))
            continue;
        for (uint32_t c = 0; c < q->column_count; c++)
            r->is_number[c] = jfr_cell_number(&q->rows[i].cells[c], &q->columns[c], &numbers[c]);
        r->lines[r->count++] = (struct line){q, &q->rows[i], numbers};
    }
    return true;
}

/* A share is a part of all rows, not only of the rows that are shown. */
static void make_shares(struct result *r)
{
    for (uint32_t c = 0; c < r->query->column_count; c++) {
        double total = 0;
        for (size_t i = 0; i < r->count && r->query->columns[c].is_share; i++)
            total += isnan(r->lines[i].numbers[c]) ? 0 : r->lines[i].numbers[c];
        for (size_t i = 0; i < r->count && r->query->columns[c].is_share; i++)
            r->lines[i].numbers[c] = total > 0 ? r->lines[i].numbers[c] / total : 0;
    }
}

static void end_cell(struct result *r, uint32_t column, size_t start)
{
    bool is_cut = r->layout->width > 0;
    textbuf_char(&r->text, '\0');
    if (r->text.is_bad)
        return;
    const char *cell = r->text.bytes + start;
    size_t len = is_cut ? jfr_fit_longest(cell) : strlen(cell);
    if (!is_cut && len > WIDTH_MAX)
        len = WIDTH_MAX;
    r->widths[column] = len > r->widths[column] ? len : r->widths[column];
}

static void put_cells(struct result *r)
{
    struct jfr_query *q = r->query;
    for (uint32_t c = 0; c < q->column_count; c++) {
        size_t start = r->text.len;
        const char *heading = q->columns[c].heading;
        textbuf_text(&r->text, heading[0] != '\0' ? heading : q->columns[c].fields);
        end_cell(r, c, start);
    }
    for (size_t i = 0; i < r->shown; i++)
        for (uint32_t c = 0; c < q->column_count; c++) {
            size_t start = r->text.len;
            jfr_cell_put(&r->lines[i].row->cells[c], &q->columns[c], r->lines[i].numbers[c],
                         r->layout->cell_height > 1, &r->text);
            end_cell(r, c, start);
        }
}

static void put_table(struct result *r, struct jfr_printer *o)
{
    uint32_t columns = r->query->column_count;
    size_t needed = jfr_fit_widths(r->layout, r->widths, r->is_number, columns);
    const char *cell = r->text.bytes;
    if (needed > 0)
        jfr_fit_refuse(r->layout, o, needed);
    for (size_t i = 0; i <= r->shown && needed == 0; i++)
        cell = jfr_fit_row(r->layout, o, cell, r->widths, r->is_number, columns);
}

/* Writes the value of a form's line, which begins after `indent` characters. */
static void put_form_value(const struct result *r, struct jfr_printer *o, const char *cell,
                           size_t indent)
{
    const struct jfr_fit *l = r->layout;
    if (l->width > 0) {
        jfr_fit_text(l, o, cell, l->width > indent ? l->width - indent : 0,
                     l->cell_height > 0 ? l->cell_height : FORM_LINES, indent);
        return;
    }
    jfr_printer_plain(o, cell, strlen(cell));
    textbuf_char(&o->text, '\n');
}

/* Writes lines such as "Longest: 26.7 ms", with the values below each other. */
static void put_form(const struct result *r, struct jfr_printer *o)
{
    const char *heading = r->text.bytes, *cell = heading;
    size_t width = 0;
    for (uint32_t c = 0; c < r->query->column_count; c++, cell += strlen(cell) + 1)
        width = strlen(cell) > width ? strlen(cell) : width;
    for (uint32_t c = 0; c < r->query->column_count && r->shown > 0; c++) {
        textbuf_text(&o->text, heading);
        textbuf_char(&o->text, ':');
        textbuf_fill(&o->text, ' ', width - strlen(heading) + 1);
        put_form_value(r, o, cell, width + 2);
        heading += strlen(heading) + 1;
        cell += strlen(cell) + 1;
    }
}

int jfr_result_put(struct jfr_query *q, struct jfr_printer *o, const struct jfr_fit *layout,
                   uint32_t top)
{
    struct result r = {.query = q, .layout = layout};
    uint32_t limit = top > 0 ? top : q->named->limit;
    bool is_done = q->error == 0 && take_lines(&r);
    if (is_done) {
        if (q->named->order[0] != '\0')
            qsort(r.lines, r.count, sizeof(*r.lines), compare);
        make_shares(&r);
        r.shown = limit > 0 && limit < r.count ? limit : r.count;
        put_cells(&r);
        is_done = !r.text.is_bad;
    }
    if (is_done) {
        textbuf_printf(&o->text, "%s\n\n", q->named->title);
        if (q->named->is_form)
            put_form(&r, o);
        else
            put_table(&r, o);
        if (r.count > r.shown)
            textbuf_printf(&o->text, "... and %zu more\n", r.count - r.shown);
    }
    free(r.lines);
    free(r.numbers);
    textbuf_done(&r.text);
    return is_done ? 0 : -ENOMEM;
}
