/*
 * jfr_view_all.c - the words of `hprof jfr view` that stand for several tables: all-views,
 * all-events and types, as in the JDK's tool.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfrtool.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "command/tabular.h"
#include "jfrtool/jfr_census.h"
#include "jfrtool/jfr_named.h"
#include "jfrtool/jfr_order.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_table.h"
#include "command/say.h"
#include "jfr/jfr_value.h"

static int by_name(const void *x, const void *y)
{
    const struct jfr_census_row *a = x, *b = y;
    return strcmp(a->name, b->name);
}

/* Takes the census of the file, sorted by name. Errors: as jfr_census_take(). */
static int take(struct jfr_census *c, const char *path)
{
    int error = jfr_census_take(c, path, NULL);
    if (c->count > 0)
        qsort(c->rows, c->count, sizeof(*c->rows), by_name);
    return error;
}

static int print_views(const struct jfrtool_view *view, const char *path)
{
    struct jfrtool_view all = *view;
    all.name = NULL;
    return jfr_named_print(&all, path);
}

enum { TOP = 20 }; /* rows of a table, unless the user says how many */

/* A table for each type of event. */
struct tables {
    const struct jfrtool_view *view;
    struct jfr_printer out;
    struct jfr_table *rows;
    const struct jfr_census *census; /* row N of the census has the name of table N */
    struct window range;
    struct jfr_table **by_type; /* by jfr_type.number of the current chunk */
    int error;
};

static int compare_name(const void *name, const void *row)
{
    return strcmp(name, ((const struct jfr_census_row *)row)->name);
}

static void begin_chunk(void *context, const struct jfr_chunk *chunk)
{
    const struct jfr_metadata *m = &chunk->metadata;
    struct tables *t = context;
    free(t->by_type);
    t->by_type = calloc(m->type_count + (size_t)1, sizeof(struct jfr_table *));
    if (!t->by_type)
        t->error = -ENOMEM;
    for (uint32_t i = 0; i < m->type_count && t->by_type && t->census->count > 0; i++) {
        const struct jfr_census_row *row = bsearch(m->types[i].name, t->census->rows,
                                                   t->census->count, sizeof(*row), compare_name);
        t->by_type[m->types[i].number] = row ? &t->rows[row - t->census->rows] : NULL;
    }
}

static uint32_t top_of(const struct tables *t)
{
    return t->view->top > 0 ? t->view->top : TOP;
}

static int take_event(void *context, const struct jfr_type *type, const struct jfr_record *record)
{
    struct tables *t = context;
    const struct jfr_value event = jfr_value_event(type, record);
    struct jfr_table *table = t->error == 0 ? t->by_type[type->number] : NULL;

    int verdict = table ? jfr_where_all(&t->view->where, &t->out, &event) : 0;

    if (verdict > 0)
        jfr_table_add(table, &t->out, type, &event, top_of(t));
    return verdict < 0 ? verdict : t->error;
}

static int put_tables(struct tables *t)
{
    for (size_t i = 0; i < t->census->count; i++) {
        if (t->rows[i].columns == 0 || !jfr_table_place(&t->rows[i], top_of(t)))
            continue;
        jfr_printer_plain(&t->out, t->rows[i].type, strlen(t->rows[i].type));
        textbuf_text(&t->out.text, "\n\n");
        if (jfr_table_put(&t->rows[i], &t->out, top_of(t)) < 0)
            return -ENOMEM;
        textbuf_char(&t->out.text, '\n');
        jfr_printer_end_event(&t->out);
    }
    return t->out.text.is_bad ? -ENOMEM : 0;
}

static int run_tables(struct tables *t, const char *path)
{
    const struct jfr_order_pass pass = {.path = path,
                                        /* The census has reported the damage. */
                                        .is_quiet = true,
                                        .range = &t->range,
                                        .out = &t->out,
                                        .context = t,
                                        .begin = begin_chunk,
                                        .event = take_event};
    struct sink sink;
    int code = sink_init(&sink, STDOUT_FILENO);
    if (code < 0)
        return code;
    code = jfr_printer_init(&t->out, &sink, 1);
    if (code == 0) {
        code = jfr_order_run(&pass);
        if (code == 0)
            code = put_tables(t);
        jfr_printer_done(&t->out);
    }
    int done = sink_done(&sink);
    return code == 0 ? done : code;
}

static int print_events(const struct jfrtool_view *view, const char *path)
{
    struct jfr_census c;
    int error = take(&c, path);
    struct tables t = {.view = view,
                       .census = &c,
                       .range = view->range,
                       .rows = calloc(c.count + 1, sizeof(*t.rows))};
    for (size_t i = 0; i < c.count && t.rows; i++) {
        t.rows[i].layout = &view->layout;
        t.rows[i].out = view->out;
    }
    int code = error == 0 || error == E_TRUNCATED ? -ENOMEM : error;

    if (t.rows && (error == 0 || error == E_TRUNCATED))
        code = run_tables(&t, path);
    if (code == -ENOMEM)
        say("%s: %s", path, err_text(code));
    for (size_t i = 0; i < c.count && t.rows; i++)
        jfr_table_done(&t.rows[i]);
    free(t.rows);
    free(t.by_type);
    jfr_census_done(&c);
    return code == 0 && error == 0 ? CMD_OK : CMD_FAILED;
}

static int print_types(const struct jfrtool_view *view, const char *path)
{
    struct jfr_census c;
    struct tabular t = {.name = view->name};
    if (window_is_set(&view->range)) {
        say("jfr: types counts the events of a whole file, so that --from and --to do not fit; "
            "events-by-name counts those of a span");
        return CMD_USAGE;
    }
    int error = take(&c, path);
    size_t count = error == 0 || error == E_TRUNCATED ? c.count : 0;
    tabular_columns(&t, "count event");
    for (size_t i = 0; i < count; i++) {
        tabular_unsigned(&t, c.rows[i].count);
        tabular_text(&t, c.rows[i].name);
    }
    bool is_text = tabular_place(view->out, &t, view->top);
    bool is_wrong = is_text && tabular_check(view->out) < 0;
    for (size_t i = 0; is_text && !is_wrong && i < count && (view->top == 0 || i < view->top);
         i++) {
        const struct jfr_census_row *row = &c.rows[tabular_at(&t, i)];
        printf("%10" PRIu64 "  ", row->count);
        say_clean(stdout, row->name);
        putchar('\n');
    }
    tabular_done(&t);
    jfr_census_done(&c);
    return is_wrong ? CMD_USAGE : error == 0 ? CMD_OK : CMD_FAILED;
}

static const struct word {
    const char *name, *title;
    int (*print)(const struct jfrtool_view *view, const char *path);
} words[] = {
    {"all-views", "Each of these that the file has events for", print_views},
    {"all-events", "A table for each type of event that the file has", print_events},
    {"types", "The types of events, and how many of each the file has", print_types},
};

static const struct word *find(const char *name)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i].name, name) == 0)
            return &words[i];
    return NULL;
}

bool jfr_view_all_is(const char *name)
{
    return find(name) != NULL;
}

int jfr_view_all_print(const struct jfrtool_view *view, const char *path)
{
    return find(view->name)->print(view, path);
}

void jfr_view_all_list(void)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        printf("%-28s %s\n", words[i].name, words[i].title);
}
