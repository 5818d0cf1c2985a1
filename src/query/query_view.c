/*
 * query_view.c - see query_view.h.
 *
 * The events of all types of a view become one list, `e`: `src` has a bit for each source of the
 * view to which an event belongs, `at` is the end of the event, by which the JDK's tool orders
 * them, and each field and key of the view is a column. Aggregates over that list are the view.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_view.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/say.h"
#include "command/textbuf.h"
#include "jfr/jfr_filter.h"
#include "jfrtool/jfr_column.h"
#include "jfrtool/jfr_datum.h"
#include "jfrtool/jfr_named.h"
#include "jfrtool/jfr_query.h"
#include "query/query.h"
#include "query/query_jfr.h"
#include "query/query_shape.h"
#include "query/query_state.h"

enum { TOP = 20, KEYS = 8, BASE = 10 };

/* What is said of views that SQL cannot say. */
static const char by_loader[] = "it chooses frames by their class loaders, which no table has";
static const char by_setting[] = "its events have the numbers of types, which each chunk has anew";

struct making {
    struct query *q;
    const struct jfr_query_named *view;
    struct jfr_column_source sources[JFR_COLUMN_SOURCES];
    struct jfr_column columns[JFR_COLUMN_MAX];
    uint32_t source_count, column_count;
    char keys[KEYS][JFR_COLUMN_TEXT]; /* the fields of the key, without '#' */
    uint32_t key_count;
    const char *why; /* why there is no SQL; NULL: there is */
    struct textbuf sql;
};

/* ---- names and texts */

static void put_quoted(struct textbuf *t, const char *name, char quote)
{
    textbuf_char(t, quote);
    for (; *name != '\0'; name++) {
        if (*name == quote)
            textbuf_char(t, quote);
        textbuf_char(t, *name);
    }
    textbuf_char(t, quote);
}

/* ---- fields */

static const struct query_jfr_field *field_at(const struct query_jfr_type *type, const char *path,
                                              const char **ret_column)
{
    for (uint32_t i = 0; i < type->field_count; i++)
        if (strcmp(type->fields[i].path, path) == 0 && !type->fields[i].is_thread_id &&
            !type->fields[i].is_signature) {
            *ret_column = type->columns[i].name;
            return &type->fields[i];
        }
    return NULL;
}

/* The name of the column beside that of a field: its number or signature. */
static const char *beside(const struct query_jfr_type *type, const char *path)
{
    for (uint32_t i = 0; i < type->field_count; i++)
        if (strcmp(type->fields[i].path, path) == 0 &&
            (type->fields[i].is_thread_id || type->fields[i].is_signature))
            return type->columns[i].name;
    return NULL;
}

/* The class of a loader, of which the column has "name (class)". */
static void put_loader(struct textbuf *t, const char *column)
{
    textbuf_text(t, "case when ");
    put_quoted(t, column, '"');
    textbuf_text(t, " like '% (%)' then substr(");
    put_quoted(t, column, '"');
    textbuf_text(t, ", instr(");
    put_quoted(t, column, '"');
    textbuf_text(t, ", ' (') + 2, length(");
    put_quoted(t, column, '"');
    textbuf_text(t, ") - instr(");
    put_quoted(t, column, '"');
    textbuf_text(t, ", ' (') - 2) else coalesce(");
    put_quoted(t, column, '"');
    textbuf_text(t, ", 'null-bootstrap') end");
}

/* Writes the value of a field that the type has. A key of threads is their number. */
static void put_field(struct making *m, const struct query_jfr_type *type,
                      const struct query_jfr_field *f, const char *column, bool is_key)
{
    struct textbuf *t = &m->sql;
    const char *other = beside(type, f->path);
    switch ((enum query_shape)f->shape) {
    case QUERY_SHAPE_STACK:
        textbuf_text(t, "top_method(");
        put_quoted(t, column, '"');
        textbuf_char(t, ')');
        return;
    case QUERY_SHAPE_LOADER:
        put_loader(t, column);
        return;
    case QUERY_SHAPE_THREAD:
        put_quoted(t, is_key && other ? other : column, '"');
        return;
    default:
        put_quoted(t, other ? other : column, '"');
    }
}

/* Writes what stands for one path, and returns whether the type has it. */
static bool put_path(struct making *m, const struct query_jfr_type *type, const char *path,
                     bool is_key)
{
    struct textbuf *t = &m->sql;
    const char *column, *dot = strrchr(path, '.');
    bool is_any = type == &m->q->jfr->events;
    if (strcmp(path, "event") == 0) {
        if (is_any)
            textbuf_text(t, "type");
        else
            put_quoted(t, type->name, '\'');
        return true;
    }
    if (is_any) {
        textbuf_text(t, strcmp(path, "startTime") == 0 ? "start" : "null");
        return strcmp(path, "startTime") == 0;
    }
    if (strncmp(path, "stackTrace@", 11) == 0) {
        const struct query_jfr_field *f = field_at(type, "stackTrace", &column);
        if (strcmp(path + 11, "app") == 0)
            m->why = by_loader;
        if (!f)
            return false;
        textbuf_text(t, strncmp(path + 11, "top", 3) == 0 ? "top_class(" : "top_method(");
        put_quoted(t, column, '"');
        textbuf_text(t, strcmp(path + 11, "noinit") == 0 ? ", 'noinit')" : ")");
        return true;
    }
    if (strcmp(path, "id") == 0 && strcmp(type->name, "jdk.ActiveSetting") == 0)
        m->why = by_setting;
    const struct query_jfr_field *f = field_at(type, path, &column);
    if (!f && dot && strcmp(dot, ".name") == 0) { /* a name stands for the whole structure */
        char whole[JFR_COLUMN_TEXT];
        snprintf(whole, sizeof(whole), "%.*s", (int)(dot - path), path);
        f = field_at(type, whole, &column);
    }
    if (f)
        put_field(m, type, f, column, is_key);
    return f != NULL;
}

/* Writes the first of several fields that the type has, or null. Returns whether it has one. */
static bool put_paths(struct making *m, const struct query_jfr_type *type, const char *paths,
                      bool is_key)
{
    char path[JFR_COLUMN_TEXT];
    while (jfr_column_next(&paths, '|', path)) {
        size_t before = m->sql.len;
        if (put_path(m, type, path, is_key))
            return true;
        m->sql.len = before;
    }
    textbuf_text(&m->sql, "null");
    return false;
}

/* ---- the list of events */

static bool has_keys(struct making *m, const struct query_jfr_type *type)
{
    size_t before = m->sql.len;
    bool has_all = true;
    for (uint32_t i = 0; i < m->key_count; i++)
        has_all &= put_paths(m, type, m->keys[i], true);
    m->sql.len = before;
    return has_all;
}

/* Writes a condition such as "when=Before GC". */
static void put_condition(struct making *m, const struct query_jfr_type *type,
                          const char *condition)
{
    char path[JFR_COLUMN_TEXT];
    size_t len = strcspn(condition, "=");
    const char *value = condition + len + 1;
    snprintf(path, sizeof(path), "%.*s", (int)len, condition);
    put_paths(m, type, path, false);
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0) {
        textbuf_text(&m->sql, *value == 't' ? " = 1" : " = 0");
        return;
    }
    textbuf_text(&m->sql, " = ");
    put_quoted(&m->sql, value, '\'');
}

/* Writes the bits of the sources to which an event of the type belongs. */
static void put_sources(struct making *m, const struct query_jfr_type *type, uint32_t sources)
{
    struct textbuf *t = &m->sql;
    char condition[JFR_COLUMN_TEXT];
    const char *between = "";
    for (uint32_t s = 0; s < m->source_count; s++) {
        const char *list = m->sources[s].conditions;
        if (!(sources & 1u << s))
            continue;
        textbuf_text(t, between);
        between = " + ";
        if (*list == '\0') {
            textbuf_printf(t, "%u", 1u << s);
            continue;
        }
        textbuf_text(t, "(case when ");
        for (bool is_first = true; jfr_column_next(&list, '&', condition); is_first = false) {
            textbuf_text(t, is_first ? "" : " and ");
            put_condition(m, type, condition);
        }
        textbuf_printf(t, " then %u else 0 end)", 1u << s);
    }
    textbuf_text(t, " as src");
}

/* Writes the events of one type. A column's `h` is 1 if the type has its field. */
static void put_events(struct making *m, const struct query_jfr_type *type, uint32_t sources)
{
    struct textbuf *t = &m->sql;
    textbuf_text(t, "  select ");
    put_sources(m, type, sources);
    textbuf_text(t, ", start + coalesce(duration, 0) as at");
    for (uint32_t i = 0; i < m->key_count; i++) {
        textbuf_text(t, ", ");
        put_paths(m, type, m->keys[i], true);
        textbuf_printf(t, " as k%u", i + 1);
    }
    for (uint32_t c = 0; c < m->column_count; c++) {
        if (m->columns[c].fields[0] == '\0')
            continue;
        textbuf_text(t, ", ");
        bool is_there =
            put_paths(m, type, m->columns[c].fields, m->columns[c].sum == JFR_COLUMN_UNIQUE);
        textbuf_printf(t, " as f%u", c + 1);
        if (m->columns[c].sum == JFR_COLUMN_COUNT)
            textbuf_printf(t, ", %s as h%u", is_there ? "1" : "null", c + 1);
    }
    textbuf_text(t, " from ");
    put_quoted(t, type == &m->q->jfr->events ? "events" : type->name, '"');
}

static uint32_t sources_of(const struct making *m, const char *name)
{
    uint32_t sources = 0;
    for (uint32_t s = 0; s < m->source_count; s++)
        if (strcmp(m->sources[s].events, "*") != 0 && jfr_filter_names(m->sources[s].events, name))
            sources |= 1u << s;
    return sources;
}

/* Whether the file has an event of the type. */
static bool has_event(struct query *q, const char *name)
{
    char *sql = sqlite3_mprintf("select 1 from \"%w\" limit 1", name);
    sqlite3_stmt *st = NULL;
    bool is_there = sql && sqlite3_prepare_v2(q->db, sql, -1, &st, NULL) == SQLITE_OK &&
                    sqlite3_step(st) == SQLITE_ROW;
    sqlite3_finalize(st);
    sqlite3_free(sql);
    return is_there;
}

/* Writes the list of all events. Returns how many types it has. */
static uint32_t put_list(struct making *m)
{
    uint32_t count = 0, all = 0;
    textbuf_text(&m->sql, "with e as (\n");
    for (uint32_t s = 0; s < m->source_count; s++)
        all |= strcmp(m->sources[s].events, "*") == 0 ? 1u << s : 0;
    if (all) {
        put_events(m, &m->q->jfr->events, all);
        count++;
    }
    for (uint32_t i = 0; i < query_jfr_count(m->q->jfr); i++) {
        const struct query_jfr_type *type = query_jfr_at(m->q->jfr, i);
        uint32_t sources = sources_of(m, type->name);
        if (!sources || !has_keys(m, type) || !has_event(m->q, type->name))
            continue;
        textbuf_text(&m->sql, count++ > 0 ? "\n  union all\n" : "");
        put_events(m, type, sources);
    }
    textbuf_text(&m->sql, "\n)\n");
    return count;
}

/* ---- the columns */

/* Writes the value of a column, which only events of its sources have. */
static void put_value(struct making *m, uint32_t c, char front)
{
    const struct jfr_column *column = &m->columns[c];
    if (column->sources)
        textbuf_printf(&m->sql, "case when src & %u then %c%u end", column->sources, front, c + 1);
    else
        textbuf_printf(&m->sql, "%c%u", front, c + 1);
}

static void put_call(struct making *m, uint32_t c, const char *before, const char *after)
{
    textbuf_text(&m->sql, before);
    put_value(m, c, 'f');
    textbuf_text(&m->sql, after);
}

static void put_sum(struct making *m, uint32_t c)
{
    const struct jfr_column *column = &m->columns[c];
    char after[64];
    switch (column->sum) {
    case JFR_COLUMN_VALUE:
        put_call(m, c, "first(", ", at)");
        return;
    case JFR_COLUMN_COUNT:
        if (column->fields[0] == '\0') {
            textbuf_text(&m->sql, "count(*)");
            return;
        }
        textbuf_text(&m->sql, "count(");
        put_value(m, c, 'h');
        textbuf_char(&m->sql, ')');
        return;
    case JFR_COLUMN_TOTAL:
        put_call(m, c, "sum(", ")");
        return;
    case JFR_COLUMN_AVERAGE:
        put_call(m, c, "avg(", ")");
        return;
    case JFR_COLUMN_MINIMUM:
        put_call(m, c, "min(", ")");
        return;
    case JFR_COLUMN_MAXIMUM:
        put_call(m, c, "max(", ")");
        return;
    case JFR_COLUMN_PERCENTILE:
        snprintf(after, sizeof(after), ", %.10g)", column->percentile * 100);
        put_call(m, c, "rank_percentile(", after);
        return;
    case JFR_COLUMN_DIFFERENCE:
        if (strcmp(column->fields, "startTime") == 0) {
            put_call(m, c, "case when count(", ") > 1 then ");
            put_call(m, c, "last(", ", at)");
            put_call(m, c, " - first(", ", at) end");
            return;
        }
        put_call(m, c, "last(", ", at)");
        put_call(m, c, " - first(", ", at)");
        return;
    case JFR_COLUMN_LAST:
    case JFR_COLUMN_BATCH:
        put_call(m, c, "last(", ", at)");
        return;
    case JFR_COLUMN_UNIQUE:
        put_call(m, c, "count(distinct ", ")");
        return;
    case JFR_COLUMN_SET:
        put_call(m, c, "replace(group_concat(distinct ", "), ',', ', ')");
        return;
    }
}

static bool is_plain(const struct making *m)
{
    for (uint32_t c = 0; c < m->column_count; c++)
        if (m->columns[c].sum != JFR_COLUMN_VALUE)
            return false;
    return m->key_count == 0 && !m->view->is_form;
}

static void put_columns(struct making *m)
{
    char key[JFR_COLUMN_TEXT];
    bool is_each = is_plain(m);
    textbuf_text(&m->sql, "select ");
    for (uint32_t c = 0; c < m->column_count; c++) {
        textbuf_text(&m->sql, c > 0 ? ",\n  " : "");
        if (is_each) {
            put_value(m, c, 'f');
        } else if (m->columns[c].is_share) {
            textbuf_text(&m->sql, "coalesce(1.0 * ");
            put_sum(m, c);
            textbuf_text(&m->sql, " / nullif(sum(");
            put_sum(m, c);
            textbuf_text(&m->sql, ") over (), 0), 0)");
        } else {
            put_sum(m, c);
        }
        jfr_datum_key(&m->columns[c], key, sizeof(key));
        textbuf_text(&m->sql, " as ");
        put_quoted(&m->sql, key, '"');
    }
    textbuf_text(&m->sql, "\nfrom e where src > 0");
}

static void put_order(struct making *m)
{
    const char *order = m->view->order;
    textbuf_text(&m->sql, m->view->is_form ? "" : "\norder by ");
    while (*order != '\0' && !m->view->is_form) {
        char *end;
        unsigned long column = strtoul(order + 1, &end, BASE);
        textbuf_printf(&m->sql, "%lu %s nulls last, ", column, *order == '-' ? "desc" : "asc");
        order = end + (*end == ',');
    }
    if (!m->view->is_form)
        textbuf_text(&m->sql, is_plain(m) ? "at" : "min(at)");
}

static void put_groups(struct making *m)
{
    bool has_batch = false;
    for (uint32_t i = 0; i < m->key_count; i++)
        textbuf_printf(&m->sql, "%sk%u", i > 0 ? ", " : "\ngroup by ", i + 1);
    for (uint32_t c = 0; c < m->column_count; c++)
        has_batch |= m->columns[c].sum == JFR_COLUMN_BATCH;
    if (has_batch)
        textbuf_text(&m->sql, "\nhaving max(at) = (select max(at) from e)");
}

/* Makes the SQL of a row of jfr_views.def. Returns whether the file has events for it. */
static bool make_named(struct making *m, const struct jfr_query_named *view, uint32_t top)
{
    const char *group = view->group;
    char key[JFR_COLUMN_TEXT];
    m->view = view;
    m->key_count = 0;
    m->sql.len = 0;
    m->source_count = jfr_column_read_sources(view->from, m->sources);
    m->column_count = jfr_column_read(view->columns, m->sources, m->source_count, m->columns);
    while (m->key_count < KEYS && jfr_column_next(&group, ',', key))
        snprintf(m->keys[m->key_count++], JFR_COLUMN_TEXT, "%s", key + (key[0] == '#'));
    if (put_list(m) == 0)
        return false;
    put_columns(m);
    put_groups(m);
    put_order(m);
    uint32_t limit = top > 0 ? top : view->limit;
    if (limit > 0 && !view->is_form)
        textbuf_printf(&m->sql, "\nlimit %u", limit);
    return true;
}

/* ---- tables of events */

/* Makes the SQL of the events of a type, in the order of their ends. */
static void make_events(struct making *m, const struct query_jfr_type *type, uint32_t top)
{
    struct textbuf *t = &m->sql;
    const char *between = "select ";
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct query_jfr_field *f = &type->fields[i];
        if (f->is_thread_id || f->is_signature)
            continue;
        if (f->shape == QUERY_SHAPE_LIST)
            m->why = "it has a list, which is only counted there";
        textbuf_text(t, between);
        between = ",\n  ";
        put_field(m, type, f, type->columns[i].name, false);
        textbuf_text(t, " as ");
        put_quoted(t, f->path, '"');
    }
    textbuf_text(t, "\nfrom ");
    put_quoted(t, type->name, '"');
    textbuf_printf(t, "\norder by start + coalesce(duration, 0)\nlimit %u", top > 0 ? top : TOP);
}

/* The one type that the word names; NULL after saying why there is none. */
static const struct query_jfr_type *find_type(const struct query *q, const char *path,
                                              const char *word)
{
    const struct query_jfr_type *found = NULL;
    for (uint32_t i = 0; i < query_jfr_count(q->jfr); i++) {
        const struct query_jfr_type *type = query_jfr_at(q->jfr, i);
        if (!jfr_filter_names(word, type->name))
            continue;
        if (found) {
            say("%s: --sql: '%s' names several types of events; SQL has a table for each", path,
                word);
            return NULL;
        }
        found = type;
    }
    if (!found)
        say("%s: has no event '%s', and no view is called so; 'hprof jfr summary' shows what it "
            "has, 'hprof jfr view' lists the views",
            path, word);
    return found;
}

/* ---- all */

static int make(struct making *m, const char *path, const char *view, uint32_t top)
{
    bool has_view = false, is_made = false;
    const struct jfr_query_named *row;
    for (size_t i = 0; (row = jfr_named_row(i)) != NULL && !is_made; i++) {
        if (strcmp(row->name, view) != 0)
            continue;
        has_view = true;
        is_made = make_named(m, row, top);
    }
    if (has_view && !is_made) {
        say("%s: has no events for the view '%s'", path, view);
        return E_NOT_FOUND;
    }
    if (!has_view) {
        const struct query_jfr_type *type = find_type(m->q, path, view);
        if (!type)
            return E_NOT_FOUND;
        make_events(m, type, top);
    }
    if (m->why) {
        say("jfr: --sql: the view '%s' cannot be said in SQL: %s", view, m->why);
        return E_UNSUPPORTED;
    }
    return m->sql.is_bad ? -ENOMEM : 0;
}

int query_view_write(const char *path, const char *view, uint32_t top, struct diag *diag,
                     struct sink *out)
{
    const struct query_options options = {.diag = diag};
    struct making m = {0};
    int error = query_open(&options, &m.q);
    if (error == 0)
        error = query_add(m.q, path);
    if (error == 0)
        error = query_begin(m.q);
    if (error == 0)
        error = make(&m, path, view, top);
    if (error == 0) {
        sink_bytes(out, m.sql.bytes, m.sql.len);
        sink_text(out, "\n");
    }
    if (error == -ENOMEM)
        say("%s: %s", path, err_text(error));
    textbuf_done(&m.sql);
    query_close(m.q);
    return error;
}
