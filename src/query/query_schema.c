/*
 * query_schema.c - what --schema prints: tables, columns and functions, each with a sentence.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include "base/diag.h"
#include "base/err.h"
#include "base/plain.h"
#include "base/sink.h"
#include "query/query.h"
#include "query/query_function.h"
#include "query/query_jfr.h"
#include "query/query_state.h"

enum { WIDTH_MAX = 48 };

static void put_padded(struct sink *s, const char *text, size_t width)
{
    plain_put(s, text, strlen(text));
    for (size_t len = strlen(text); len < width; len++)
        sink_text(s, " ");
}

static void put_sentence(struct sink *s, const char *about)
{
    if (about)
        plain_put(s, about, strlen(about));
    sink_text(s, "\n");
}

static size_t wider(size_t width, const char *text)
{
    size_t len = strlen(text);
    return len > width && len <= WIDTH_MAX ? len : width;
}

static void put_tables(const struct query *q, struct sink *out)
{
    size_t width = 0;
    for (size_t i = 0; i < q->tables.count; i++)
        if (!q->tables.of[i]->is_idle)
            width = wider(width, q->tables.of[i]->name);
    for (const struct query_function_row *f = query_function_rows; f->usage; f++)
        width = wider(width, f->usage);
    for (size_t i = 0; i < q->tables.count; i++) {
        if (q->tables.of[i]->is_idle)
            continue;
        put_padded(out, q->tables.of[i]->name, width + 2);
        put_sentence(out, q->tables.of[i]->about);
    }
    sink_text(out, "\nfunctions\n");
    for (const struct query_function_row *f = query_function_rows; f->usage; f++) {
        put_padded(out, f->usage, width + 2);
        put_sentence(out, f->about);
    }
}

static void put_columns(const struct query_table *t, struct sink *out)
{
    size_t width = 0;
    for (uint32_t i = 0; i < t->column_count; i++)
        width = wider(width, t->columns[i].name);
    if (t->about) {
        put_sentence(out, t->about);
        sink_text(out, "\n");
    }
    for (uint32_t i = 0; i < t->column_count; i++) {
        put_padded(out, t->columns[i].name, width + 2);
        put_padded(out, t->columns[i].type, sizeof("INTEGER") + 1);
        put_sentence(out, t->columns[i].about);
    }
}

/* The table of this name, or the type of events whose last word it is. */
static const struct query_table *find(const struct query *q, const char *name)
{
    const struct query_table *found = NULL;
    for (size_t i = 0; i < q->tables.count; i++) {
        const char *dot = strrchr(q->tables.of[i]->name, '.');
        if (sqlite3_stricmp(q->tables.of[i]->name, name) == 0)
            return q->tables.of[i];
        if (dot && !found && sqlite3_stricmp(dot + 1, name) == 0)
            found = q->tables.of[i];
    }
    return found;
}

int query_schema(struct query *q, const char *table, struct sink *out)
{
    const struct query_table *t = table ? find(q, table) : NULL;
    if (table && !t) {
        diag_tell(q->options.diag, E_NOT_FOUND, "query",
                  "the inputs have no table '%s'; --schema lists them", table);
        return E_NOT_FOUND;
    }
    if (t)
        put_columns(t, out);
    else
        put_tables(q, out);
    return 0;
}
