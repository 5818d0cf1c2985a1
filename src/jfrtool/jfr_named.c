/*
 * jfr_named.c - see jfr_named.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_named.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "command/tabular.h"
#include "jfrtool/jfr_order.h"
#include "jfr/jfr_place.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_query.h"
#include "jfrtool/jfrtool.h"
#include "command/say.h"
#include "jfr/jfr_value.h"

#define TABLE(name, title, from, columns, group, order, limit)                                     \
    {name, title, from, columns, group, order, limit, false},
#define FORM(name, title, from, columns) {name, title, from, columns, "", "", 0, true},
static const struct jfr_query_named views[] = {
#include "jfrtool/jfr_views.def"
};
#undef TABLE
#undef FORM

enum { VIEWS = sizeof(views) / sizeof(views[0]), EVENTS = 2048 };

/* The state of a pass. Several views may have one name: the first that has events is printed. */
struct run {
    const struct jfrtool_view *view;
    struct jfr_query *queries;
    struct jfr_query ***wanting; /* by jfr_type.number of the current chunk; NULL ends each list */
    size_t type_count;
    size_t count;
    bool has_any; /* --where was given and events came, of which it may leave none */
    bool has_field[JFR_WHERE_MAX]; /* an event had the field of this condition */
    struct window range;           /* of the view, resolved by the file */
    struct jfr_printer out;
};

static const struct jfr_query_named *find(const char *name)
{
    for (size_t i = 0; i < VIEWS; i++)
        if (strcmp(views[i].name, name) == 0)
            return &views[i];
    return NULL;
}

bool jfr_named_is(const char *name)
{
    return find(name) != NULL;
}

const char *jfr_named_at(size_t i)
{
    return i < VIEWS ? views[i].name : NULL;
}

const struct jfr_query_named *jfr_named_row(size_t i)
{
    return i < VIEWS ? &views[i] : NULL;
}

const char *jfr_named_title(const char *name)
{
    return find(name)->title;
}

/* Whether the comma-separated names are among the names of `list`. */
static bool is_among(const char *list, const char *names)
{
    size_t len = strlen(names);
    for (const char *at = list; (at = strstr(at, names)) != NULL; at++)
        if ((at == list || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
            return true;
    return false;
}

void jfr_named_events(const char *name, char *to, size_t room)
{
    struct jfr_column_source sources[JFR_COLUMN_SOURCES];
    size_t len = 0;
    to[0] = '\0';
    for (size_t i = 0; i < VIEWS; i++) {
        uint32_t count =
            strcmp(views[i].name, name) == 0 ? jfr_column_read_sources(views[i].from, sources) : 0;
        for (uint32_t s = 0; s < count && len < room; s++)
            if (!is_among(to, sources[s].events))
                len += (size_t)snprintf(to + len, room - len, "%s%s", len > 0 ? "," : "",
                                        sources[s].events);
    }
}

void jfr_named_sum(const char *name, char *to, size_t room)
{
    const struct jfr_query_named *view = find(name);
    struct jfr_column columns[JFR_COLUMN_MAX];
    uint32_t count = jfr_column_read(view->columns, NULL, 0, columns);
    to[0] = '\0';
    for (uint32_t i = count; i-- > 0;)
        if (columns[i].sum == JFR_COLUMN_TOTAL)
            snprintf(to, room, "%s", columns[i].fields);
}

void jfr_named_list(void)
{
    for (size_t i = 0; i < VIEWS; i++)
        if (find(views[i].name) == &views[i])
            printf("%-28s %s\n", views[i].name, views[i].title);
}

static void forget_types(struct run *r)
{
    for (size_t i = 0; i < r->type_count; i++)
        free(r->wanting[i]);
    free(r->wanting);
    r->wanting = NULL;
    r->type_count = 0;
}

/* The queries that take events of the type, ended by NULL. */
static struct jfr_query **who_wants(struct run *r, const struct jfr_type *type)
{
    struct jfr_query **wanting = calloc(r->count + 1, sizeof(struct jfr_query *));
    size_t count = 0;
    for (size_t i = 0; i < r->count && wanting; i++)
        if (jfr_query_wants(&r->queries[i], type))
            wanting[count++] = &r->queries[i];
    return wanting;
}

/* If there is no memory, take_event() reports the error. */
static void begin_chunk(void *context, const struct jfr_chunk *chunk)
{
    const struct jfr_metadata *m = &chunk->metadata;
    struct run *r = context;
    uint64_t jvm = jfr_place_jvm(chunk);
    forget_types(r);
    for (size_t i = 0; i < r->count; i++)
        jfr_query_begin_chunk(&r->queries[i], chunk, jvm);
    r->wanting = calloc(m->type_count + (size_t)1, sizeof(*r->wanting));
    r->type_count = r->wanting ? m->type_count : 0;
    for (uint32_t i = 0; i < m->type_count && r->wanting; i++)
        r->wanting[m->types[i].number] = who_wants(r, &m->types[i]);
}

/* Whether all conditions are true whose field the event has. Negative after saying what is
 * wrong. */
static int check(struct run *r, const struct jfr_value *event, bool *ret_has_all)
{
    const struct jfr_where_set *where = &r->view->where;
    *ret_has_all = true;
    r->has_any |= where->count > 0;
    for (uint32_t i = 0; i < where->count; i++) {
        bool has_field = jfr_where_has_field(where->of[i], &r->out, event);
        int verdict = has_field ? jfr_where_check(where->of[i], &r->out, event) : 1;
        r->has_field[i] |= has_field;
        *ret_has_all &= has_field;
        if (verdict <= 0)
            return verdict;
    }
    return 1;
}

static int take_event(void *context, const struct jfr_type *type, const struct jfr_record *record)
{
    struct run *r = context;
    const struct jfr_value event = jfr_value_event(type, record);
    struct jfr_query **wanting = r->wanting ? r->wanting[type->number] : NULL;
    bool has_all;
    if (!wanting)
        return -ENOMEM;
    int fits = check(r, &event, &has_all);
    for (; fits > 0 && *wanting; wanting++) {
        if (!has_all && !jfr_query_is_join(*wanting))
            continue;
        jfr_query_add(*wanting, &r->out, type, record, has_all);
        if ((*wanting)->error < 0)
            return (*wanting)->error;
    }
    return fits < 0 ? fits : 0;
}

static void end_chunk(void *context)
{
    struct run *r = context;
    for (size_t i = 0; i < r->count; i++)
        jfr_query_end_chunk(&r->queries[i], &r->out);
}

/* Prints the first view of each name that has events. Returns how many; negative: as
 * jfr_query_put(). */
static int put_all(struct run *r)
{
    const char *last = "";
    int put = 0;
    for (size_t i = 0; i < r->count; i++) {
        const char *name = r->queries[i].named->name;
        if (r->queries[i].events == 0 || strcmp(name, last) == 0)
            continue;
        int code =
            jfr_query_put(&r->queries[i], &r->out, &r->view->layout, r->view->top, r->view->out);
        if (code < 0)
            return code;
        bool is_text = !tabular_is_data(r->view->out->how);
        if (is_text && r->view->is_verbose)
            jfr_query_show(r->queries[i].named, &r->view->where, &r->out);
        if (is_text && !r->view->name)
            textbuf_char(&r->out.text, '\n');
        jfr_printer_end_event(&r->out);
        last = name;
        put++;
    }
    return put;
}

/* Says why --where leaves no event. */
static int say_none(const struct run *r, const char *path, const char *events)
{
    const struct jfr_where_set *where = &r->view->where;
    char words[JFR_WHERE_WORDS];
    uint32_t i = 0;
    while (i < where->count && r->has_field[i])
        i++;
    jfr_where_words(where, words);
    if (i == where->count)
        say("%s: no event '%s' fits %s", path, events, words);
    else
        say("%s: no event '%s' has the field of --where '%s'; with --group-by it may be one of an "
            "event around",
            path, events, where->of[i]);
    return E_NOT_FOUND;
}

static int run_pass(struct run *r, const char *path)
{
    char events[EVENTS];
    struct jfr_order_pass pass = {.path = path,
                                  .out = &r->out,
                                  .range = &r->range,
                                  .context = r,
                                  .begin = begin_chunk,
                                  .event = take_event,
                                  .end = end_chunk};
    if (r->view->name) {
        jfr_named_events(r->view->name, events, sizeof(events));
        pass.filter.events = events;
    }
    int code = jfr_order_run(&pass);
    if (code < 0 && code != E_TRUNCATED)
        return code;
    int put = put_all(r);
    if (put < 0 || r->out.text.is_bad)
        return put == E_NOT_FOUND ? put : -ENOMEM;
    if (put == 0 && r->view->name && code == 0 && r->has_any)
        return say_none(r, path, events);
    if (put == 0 && r->view->name && code == 0 && window_is_set(&r->range)) {
        say("%s: has no events for the view '%s' (%s) between --from and --to", path, r->view->name,
            events);
        return E_NOT_FOUND;
    }
    if (put == 0 && r->view->name && code == 0) {
        say("%s: has no events for the view '%s' (%s); 'hprof jfr summary' shows what it has", path,
            r->view->name, events);
        return E_NOT_FOUND;
    }
    return code;
}

int jfr_named_print(const struct jfrtool_view *view, const char *path)
{
    struct run r = {
        .view = view, .range = view->range, .queries = calloc(VIEWS, sizeof(*r.queries))};
    struct sink sink;
    int code = r.queries ? sink_init(&sink, STDOUT_FILENO) : -ENOMEM;
    for (size_t i = 0; i < VIEWS && code == 0; i++)
        if (!view->name || strcmp(views[i].name, view->name) == 0)
            jfr_query_init(&r.queries[r.count++], &views[i]);
    if (code == 0) {
        code = jfr_printer_init(&r.out, &sink, 1);
        if (code == 0) {
            code = run_pass(&r, path);
            jfr_printer_done(&r.out);
        }
        int done = sink_done(&sink);
        code = code == 0 ? done : code;
    }
    if (code == -ENOMEM)
        say("%s: %s", path, err_text(code));
    for (size_t i = 0; i < r.count; i++)
        jfr_query_done(&r.queries[i]);
    free(r.queries);
    forget_types(&r);
    return code == 0 ? CMD_OK : CMD_FAILED;
}
