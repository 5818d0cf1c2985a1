/*
 * jfr_table.c - see jfr_table.h.
 *
 * The text holds one cell after the other, each with NUL, and the headings first.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_table.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/tabular.h"
#include "jfrtool/jfr_datum.h"
#include "jfrtool/jfr_fit.h"
#include "jfrtool/jfr_pretty.h"
#include "jfrtool/jfr_printer.h"
#include "jfr/jfr_value.h"

enum { WIDTH_MAX = 60, NAME = 256 };

void jfr_table_done(struct jfr_table *t)
{
    textbuf_done(&t->text);
    tabular_done(&t->data);
}

static bool wants_data(const struct jfr_table *t)
{
    return tabular_wants_rows(t->out->how);
}

static void put_value(struct jfr_table *t, struct jfr_printer *o, const struct jfr_value *value)
{
    size_t start = o->text.len;
    if (wants_data(t))
        jfr_datum_value(&t->data, o, value);
    if (tabular_is_data(t->out->how))
        return;
    jfr_pretty_cell_lines(o, value, t->layout->cell_height);
    if (!o->text.is_bad)
        textbuf_bytes(&t->text, o->text.bytes + start, o->text.len - start);
    textbuf_char(&t->text, '\0');
    o->text.len = start;
}

/* Whether a field is shown as several columns: a structure without a form of its own is shown as
 * its fields. */
static bool is_opened(const struct jfr_field *f)
{
    return f->type && f->type->kind == JFR_STRUCT && !f->is_array && !f->is_pooled &&
           !f->type->is_simple;
}

static uint32_t count_columns(const struct jfr_type *type)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < type->field_count; i++)
        count += is_opened(&type->fields[i]) ? count_columns(type->fields[i].type) : 1;
    return count;
}

static void put_heads(struct jfr_table *t, const struct jfr_type *type, const char *before)
{
    char name[NAME];
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct jfr_field *f = &type->fields[i];
        snprintf(name, sizeof(name), "%s%s%s", before, before[0] != '\0' ? "." : "", f->name);
        if (is_opened(f)) {
            put_heads(t, f->type, name);
            continue;
        }
        textbuf_bytes(&t->text, name, strlen(name) + 1);
        if (wants_data(t))
            tabular_column(&t->data, name);
    }
}

static void put_cells(struct jfr_table *t, struct jfr_printer *o, const struct jfr_value *object)
{
    struct leb l = object->at;
    struct jfr_value value;
    for (uint32_t i = 0; i < object->type->field_count; i++) {
        jfr_value_read(o->chunk, &object->type->fields[i], &l, &value);
        if (is_opened(&object->type->fields[i]))
            put_cells(t, o, &value);
        else
            put_value(t, o, &value);
    }
}

void jfr_table_add(struct jfr_table *t, struct jfr_printer *o, const struct jfr_type *type,
                   const struct jfr_value *event, uint32_t top)
{
    uint32_t columns = count_columns(type);
    if (t->text.len == 0) {
        snprintf(t->type, sizeof(t->type), "%s", type->name);
        t->columns = columns;
        put_heads(t, type, "");
    }
    if (strcmp(t->type, type->name) != 0 || columns != t->columns) {
        t->others++;
    } else if (t->count >= top && !wants_data(t)) {
        t->more++;
    } else {
        put_cells(t, o, event);
        t->count++;
    }
}

bool jfr_table_place(struct jfr_table *t, uint32_t top)
{
    t->data.name = t->type;
    return !wants_data(t) || tabular_place(t->out, &t->data, top);
}

/* Moves `top` rows of the text to its front, behind the headings, in the order of the data. */
static int arrange(struct jfr_table *t, uint32_t top)
{
    struct textbuf sorted = {0};
    size_t *at = calloc(t->count + 2, sizeof(*at));
    if (!at)
        return -ENOMEM;
    const char *cell = t->text.bytes;
    for (size_t row = 0; row <= t->count; row++) {
        at[row] = (size_t)(cell - t->text.bytes);
        for (uint32_t i = 0; i < t->columns; i++)
            cell += strlen(cell) + 1;
    }
    at[t->count + 1] = t->text.len;
    size_t shown = t->count < top ? t->count : top;
    textbuf_bytes(&sorted, t->text.bytes, at[1]);
    for (size_t i = 0; i < shown; i++) {
        size_t row = tabular_at(&t->data, i) + 1;
        textbuf_bytes(&sorted, t->text.bytes + at[row], at[row + 1] - at[row]);
    }
    t->more = t->count - shown;
    t->count = shown;
    free(at);
    textbuf_done(&t->text);
    t->text = sorted;
    return sorted.is_bad ? -ENOMEM : 0;
}

int jfr_table_put(struct jfr_table *t, struct jfr_printer *o, uint32_t top)
{
    if (t->text.is_bad || (wants_data(t) && t->columns > 0 && arrange(t, top) < 0))
        return -ENOMEM;
    size_t *widths = calloc(t->columns + (size_t)1, sizeof(*widths)), needed;
    const char *cell = t->text.bytes;
    if (!widths)
        return -ENOMEM;
    for (size_t row = 0; row <= t->count && t->columns > 0; row++)
        for (uint32_t i = 0; i < t->columns; i++, cell += strlen(cell) + 1) {
            size_t len = t->layout->width > 0 ? jfr_fit_longest(cell) : strlen(cell);
            if (t->layout->width == 0 && len > WIDTH_MAX)
                len = WIDTH_MAX;
            widths[i] = len > widths[i] ? len : widths[i];
        }
    needed = jfr_fit_widths(t->layout, widths, NULL, t->columns);
    cell = t->text.bytes;
    if (needed > 0)
        jfr_fit_refuse(t->layout, o, needed);
    for (size_t row = 0; row <= t->count && t->columns > 0 && needed == 0; row++)
        cell = jfr_fit_row(t->layout, o, cell, widths, NULL, t->columns);
    free(widths);
    if (t->more > 0)
        textbuf_printf(&o->text, "... and %zu more\n", t->more);
    return 0;
}
