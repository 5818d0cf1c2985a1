/*
 * jfr_table.c - see jfr_table.h.
 *
 * Cells lie one behind the other, each with a NUL behind it, the names of the columns first; a row
 * knows where its cells begin. SPDX-License-Identifier: Apache-2.0
 */
#include "cli/jfr_table.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "cli/jfr_pretty.h"
#include "cli/jfr_printer.h"
#include "cli/jfr_where.h"
#include "jfr/jfr_chunk.h"
#include "jfr/leb.h"
#include "jfr/jfr_value.h"

enum { WIDTH_MAX = 60 };

struct jfr_table_row {
    size_t at;         /* of its first cell in the text */
    const char *cells; /* in the end */
    size_t key_len;
    size_t number; /* as it came */
    double order;  /* NAN: it has no such value */
};

void jfr_table_init(struct jfr_table *t, const struct jfr_table_how *how)
{
    *t = (struct jfr_table){.how = *how};
}

void jfr_table_done(struct jfr_table *t)
{
    textbuf_done(&t->text);
    free(t->rows);
}

/* A cell, in which no line breaks. */
static void put_cell(struct jfr_table *t, const char *text, size_t len)
{
    textbuf_bytes(&t->text, text, len);
    textbuf_char(&t->text, '\0');
}

static void put_value(struct jfr_table *t, struct jfr_printer *o, const struct jfr_value *value)
{
    size_t start = o->text.len;

    jfr_pretty_cell(o, value);
    if (!o->text.is_bad)
        put_cell(t, o->text.bytes + start, o->text.len - start);
    o->text.len = start;
}

bool jfr_table_name(const char **list, char name[JFR_TABLE_NAME])
{
    size_t len = strcspn(*list, ",");

    if (len == 0)
        return false;
    snprintf(name, JFR_TABLE_NAME, "%.*s", (int)len, *list);
    *list += len + ((*list)[len] == ',');
    return true;
}

static void put_heads(struct jfr_table *t, const struct jfr_type *type)
{
    const char *list = t->how.columns;
    char name[JFR_TABLE_NAME];

    if (list) {
        for (; jfr_table_name(&list, name); t->columns++)
            put_cell(t, name, strlen(name));
        return;
    }
    t->columns = type->field_count;
    snprintf(t->type, sizeof(t->type), "%s", type->name);
    for (uint32_t i = 0; i < type->field_count; i++)
        put_cell(t, type->fields[i].name, strlen(type->fields[i].name));
}

/* A setting says of which event it is by the number of its type. */
static const struct jfr_type *type_named_by(const struct jfr_printer *o,
                                            const struct jfr_type *type, const char *name,
                                            const struct jfr_value *value)
{
    return strcmp(type->name, "jdk.ActiveSetting") == 0 && strcmp(name, "id") == 0
               ? jfr_chunk_type(o->chunk, (uint64_t)value->number)
               : NULL;
}

/* What an event has not is an empty cell. */
static void put_named(struct jfr_table *t, struct jfr_printer *o, const struct jfr_type *type,
                      const struct jfr_value *event, const char *name)
{
    const struct jfr_type *other;
    struct jfr_value value;

    if (strcmp(name, "event") == 0) {
        put_cell(t, type->name, strlen(type->name));
    } else if (!jfr_value_named(o->chunk, event, name, &value)) {
        put_cell(t, "", 0);
    } else {
        other = type_named_by(o, type, name, &value);
        if (other)
            put_cell(t, other->name, strlen(other->name));
        else
            put_value(t, o, &value);
    }
}

static void put_cells(struct jfr_table *t, struct jfr_printer *o, const struct jfr_type *type,
                      const struct jfr_value *event, struct jfr_table_row *row)
{
    const char *list = t->how.columns;
    struct leb l = event->at;
    struct jfr_value value;
    char name[JFR_TABLE_NAME];

    for (uint32_t i = 0; list && jfr_table_name(&list, name); i++) {
        put_named(t, o, type, event, name);
        if (i + 1 == t->how.keys)
            row->key_len = t->text.len - row->at;
    }
    for (uint32_t i = 0; !t->how.columns && i < type->field_count; i++) {
        jfr_value_read(o->chunk, &type->fields[i], &l, &value);
        put_value(t, o, &value);
    }
}

static struct jfr_table_row *new_row(struct jfr_table *t)
{
    if (t->count == t->room) {
        size_t room = t->room ? t->room * 2 : 64;
        struct jfr_table_row *rows = realloc(t->rows, room * sizeof(*rows));

        if (!rows) {
            t->text.is_bad = true;
            return NULL;
        }
        t->rows = rows;
        t->room = room;
    }
    return &t->rows[t->count];
}

void jfr_table_add(struct jfr_table *t, struct jfr_printer *o, const struct jfr_type *type,
                   const struct jfr_value *event, uint32_t top)
{
    struct jfr_table_row *row;
    struct jfr_value value;

    if (t->columns == 0)
        put_heads(t, type);
    if (!t->how.columns && (strcmp(t->type, type->name) != 0 || type->field_count != t->columns)) {
        t->others++;
        return;
    }
    if (!t->how.keys && !t->how.order && t->count >= top) {
        t->more++;
        return;
    }
    row = new_row(t);
    if (!row)
        return;
    *row = (struct jfr_table_row){.at = t->text.len, .number = t->count, .order = NAN};
    if (t->how.order && jfr_value_named(o->chunk, event, t->how.order, &value) &&
        !jfr_where_number(o, &value, &row->order))
        row->order = NAN;
    put_cells(t, o, type, event, row);
    t->count += !t->text.is_bad;
}

/* Rows of one key are together, the last one first. */
static int by_key(const void *left, const void *right)
{
    const struct jfr_table_row *l = left, *r = right;
    size_t len = l->key_len < r->key_len ? l->key_len : r->key_len;
    int compared = memcmp(l->cells, r->cells, len);

    if (compared != 0 || l->key_len != r->key_len)
        return compared != 0 ? compared : l->key_len < r->key_len ? -1 : 1;
    return l->number > r->number ? -1 : l->number < r->number;
}

static int by_order(const void *left, const void *right)
{
    const struct jfr_table_row *l = left, *r = right;

    if (isnan(l->order) != isnan(r->order))
        return isnan(l->order) ? 1 : -1;
    if (l->order < r->order || l->order > r->order)
        return l->order > r->order ? -1 : 1;
    return l->number < r->number ? -1 : l->number > r->number;
}

static bool has_key_of(const struct jfr_table_row *l, const struct jfr_table_row *r)
{
    return l->key_len == r->key_len && memcmp(l->cells, r->cells, l->key_len) == 0;
}

static void choose_rows(struct jfr_table *t)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->count; i++)
        t->rows[i].cells = t->text.bytes + t->rows[i].at;
    if (t->how.keys && t->count > 0) {
        qsort(t->rows, t->count, sizeof(*t->rows), by_key);
        for (size_t i = 0; i < t->count; i++)
            if (i == 0 || !has_key_of(&t->rows[i], &t->rows[kept - 1]))
                t->rows[kept++] = t->rows[i];
        t->count = kept;
    }
    if ((t->how.keys || t->how.order) && t->count > 0)
        qsort(t->rows, t->count, sizeof(*t->rows), by_order);
}

static void put_line(const struct jfr_table *t, struct jfr_printer *o, const char *cells,
                     const size_t *widths)
{
    for (uint32_t i = 0; i < t->columns; i++, cells += strlen(cells) + 1) {
        size_t len = strlen(cells);

        jfr_printer_plain(o, cells, len);
        if (i + 1 < t->columns)
            textbuf_fill(&o->text, ' ', len < widths[i] ? widths[i] - len + 2 : 2);
    }
    textbuf_char(&o->text, '\n');
}

static void widen(const struct jfr_table *t, const char *cells, size_t *widths)
{
    for (uint32_t i = 0; i < t->columns; i++, cells += strlen(cells) + 1) {
        size_t len = strlen(cells);

        widths[i] = len > WIDTH_MAX ? WIDTH_MAX : len > widths[i] ? len : widths[i];
    }
}

static void put_rows(const struct jfr_table *t, struct jfr_printer *o, size_t count, size_t *widths)
{
    widen(t, t->text.bytes, widths);
    for (size_t i = 0; i < count; i++)
        widen(t, t->rows[i].cells, widths);
    put_line(t, o, t->text.bytes, widths);
    for (size_t i = 0; i < count; i++)
        put_line(t, o, t->rows[i].cells, widths);
}

/* "jvmName: OpenJDK 64-Bit Server VM"; the key of a row is no field. */
static void put_forms(const struct jfr_table *t, struct jfr_printer *o, size_t count,
                      const size_t *widths)
{
    for (size_t row = 0; row < count; row++) {
        const char *head = t->text.bytes, *cell = t->rows[row].cells;

        for (uint32_t i = 0; i < t->columns; i++) {
            if (i >= t->how.keys && *cell) {
                textbuf_printf(&o->text, "%s:%*s", head, (int)(widths[0] - strlen(head)) + 1, "");
                jfr_printer_plain(o, cell, strlen(cell));
                textbuf_char(&o->text, '\n');
            }
            head += strlen(head) + 1;
            cell += strlen(cell) + 1;
        }
    }
}

int jfr_table_put(struct jfr_table *t, struct jfr_printer *o, uint32_t top)
{
    size_t *widths = calloc(t->columns + (size_t)1, sizeof(*widths));
    const char *head = t->text.bytes;
    size_t count;

    if (!widths || t->text.is_bad) {
        free(widths);
        return -ENOMEM;
    }
    choose_rows(t);
    count = t->count < top ? t->count : top;
    if (t->how.is_form) {
        for (uint32_t i = 0; i < t->columns; i++, head += strlen(head) + 1)
            widths[0] = strlen(head) > widths[0] ? strlen(head) : widths[0];
        put_forms(t, o, t->count, widths);
        count = t->count;
    } else if (t->columns > 0) {
        put_rows(t, o, count, widths);
    }
    free(widths);
    if (t->more + t->count > count)
        textbuf_printf(&o->text, "... and %zu more\n", t->more + t->count - count);
    return 0;
}
