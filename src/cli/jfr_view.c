/*
 * jfr_view.c - see jfr_view.h.
 *
 * A field of the event around takes a pass of its own over the file, for that event ends, and is
 * written, behind those it encloses.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/jfr_view.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "base/err.h"
#include "base/sink.h"
#include "cli/cmd.h"
#include "cli/jfr_around.h"
#include "jfr/jfr_filter.h"
#include "cli/jfr_groups.h"
#include "cli/jfr_input.h"
#include "cli/jfr_order.h"
#include "cli/jfr_place.h"
#include "cli/jfr_pretty.h"
#include "cli/jfr_printer.h"
#include "cli/jfr_table.h"
#include "cli/jfr_units.h"
#include "cli/jfr_where.h"
#include "cli/say.h"
#include "jfr/jfr_value.h"

static const struct named {
    const char *name, *title, *events, *group, *sum;
    struct jfr_table_how how; /* of what has no group */
    bool is_by_name;
} views[] = {
#define VIEW(name, title, events, group, sum) {name, title, events, group, sum, {NULL}, false},
#define BY_NAME(name, title, events, group) {name, title, events, group, NULL, {NULL}, true},
#define TABLE(name, title, events, columns, keys, order)                                           \
    {name, title, events, NULL, NULL, {columns, keys, order, false}, false},
#define FORM(name, title, events, columns)                                                         \
    {name, title, events, NULL, NULL, {"event," columns, 1, NULL, true}, false},
#include "cli/jfr_views.def"
#undef VIEW
#undef BY_NAME
#undef TABLE
#undef FORM
};

enum { VIEWS = sizeof(views) / sizeof(views[0]) };

/* What the numbers of a column are. */
enum unit { COUNTS, SPANS, AMOUNTS };

struct run {
    const char *title, *group, *sum, *where;
    struct jfr_filter filter;
    const char *around; /* the field of the event around; NULL: the group is a field of its own */
    struct jfr_around spans;
    uint64_t jvm; /* of the chunk: is added to its threads' numbers, which several JVMs have */
    struct jfr_groups groups;
    enum jfr_groups_order order;
    struct jfr_printer out;
    enum unit unit;
    unsigned marks;
    uint64_t seen; /* events of the types that are asked for */
    uint32_t top;
    struct jfr_table table; /* without a group */
};

/* The first row of this name behind `before`, NULL being none; NULL: there is no other. */
static const struct named *find_view(const char *name, const struct named *before)
{
    for (size_t i = before ? (size_t)(before - views) + 1 : 0; i < VIEWS; i++)
        if (strcmp(views[i].name, name) == 0)
            return &views[i];
    return NULL;
}

/* View `i`, where the rows of one name are one view; NULL behind the last. */
static const struct named *view_at(size_t i)
{
    for (size_t at = 0; at < VIEWS; at++)
        if (find_view(views[at].name, NULL) == &views[at] && i-- == 0)
            return &views[at];
    return NULL;
}

const char *jfr_view_name(size_t i)
{
    const struct named *view = view_at(i);

    return view ? view->name : NULL;
}

void jfr_view_list(FILE *out)
{
    const struct named *view;

    for (size_t i = 0; (view = view_at(i)) != NULL; i++)
        fprintf(out, "%-28s %s\n", view->name, view->title);
}

/* "tracer.user" is field user of events tracer, or Tracer, or org.acme.Tracer. */
static const char *field_of(const struct jfr_type *type, const char *path)
{
    const char *names[] = {type->name, jfr_filter_simple(type->name)};

    for (int i = 0; i < 2; i++) {
        size_t len = strlen(names[i]);

        if (strncasecmp(path, names[i], len) == 0 && path[len] == '.' && jfr_type_is_event(type))
            return path + len + 1;
    }
    return NULL;
}

/* The text of a value, where the printer writes; the caller takes it back. */
static size_t text_of(struct run *r, const struct jfr_value *value)
{
    size_t start = r->out.text.len;

    jfr_pretty_cell(&r->out, value);
    return r->out.text.is_bad ? 0 : r->out.text.len - start;
}

static void add_around(struct run *r, const struct jfr_type *type, const struct jfr_record *record)
{
    const struct jfr_value event = jfr_value_event(type, record);
    const char *field = field_of(type, r->group);
    size_t before = r->out.text.len;
    struct jfr_value value;
    struct jfr_place place;

    if (!field || !jfr_value_named(r->out.chunk, &event, field, &value) ||
        !jfr_place_of(r->out.chunk, r->jvm, &event, &place))
        return;
    r->around = field;
    size_t len = text_of(r, &value);
    jfr_around_add(&r->spans, place.thread, place.start_ns, place.end_ns,
                   r->out.text.bytes + before, len);
    r->out.text.len = before;
}

/* The first one that the event has, of fields that are parted by commas. */
static bool has_field(const struct run *r, const struct jfr_value *event, const char *fields,
                      struct jfr_value *ret_value)
{
    char name[JFR_TABLE_NAME];

    while (jfr_table_name(&fields, name))
        if (jfr_value_named(r->out.chunk, event, name, ret_value))
            return true;
    return false;
}

static void add_group(struct run *r, const struct jfr_type *type, const struct jfr_value *event)
{
    size_t before = r->out.text.len, len = 0;
    const char *around = NULL;
    struct jfr_value value;
    struct jfr_place place;
    double amount = NAN;

    if (r->sum && has_field(r, event, r->sum, &value) &&
        jfr_where_number(&r->out, &value, &amount)) {
        r->unit = value.field->content != JFR_PLAIN                           ? SPANS
                  : value.field->marks & (JFR_BYTES_AMOUNT | JFR_BITS_AMOUNT) ? AMOUNTS
                                                                              : COUNTS;
        r->marks = value.field->marks;
    }
    if (r->around) {
        if (jfr_place_of(r->out.chunk, r->jvm, event, &place))
            around = jfr_around_find(&r->spans, place.thread, place.start_ns, place.end_ns);
        textbuf_text(&r->out.text, around ? around : "(none)");
        len = r->out.text.len - before;
    } else if (strcmp(r->group, "event") == 0) {
        textbuf_text(&r->out.text, type->name);
        len = r->out.text.len - before;
    } else {
        jfr_value_named(r->out.chunk, event, r->group, &value);
        len = text_of(r, &value);
    }
    if (!r->out.text.is_bad)
        jfr_groups_add(&r->groups, r->out.text.bytes + before, len, amount);
    r->out.text.len = before;
}

static void take_event(struct run *r, const struct jfr_type *type, const struct jfr_record *record)
{
    const struct jfr_value event = jfr_value_event(type, record);

    r->seen++;
    if (r->where && !jfr_where_holds(r->where, &r->out, &event))
        return;
    if (r->group)
        add_group(r, type, &event);
    else
        jfr_table_add(&r->table, &r->out, type, &event, r->top);
}

/* `is_around`: the pass for events around others. */
static int pass(struct run *r, const char *path, bool is_around)
{
    struct jfr_order order = {0};
    struct jfr_record record;
    struct jfr_input in;
    int code = jfr_input_open(&in, path, true);

    if (code < 0)
        return code;
    while ((code = jfr_file_next_chunk(&in.file)) > 0) {
        const struct jfr_chunk *c = &in.file.chunk;
        static const struct jfr_filter all = {0};

        jfr_printer_chunk(&r->out, c);
        r->jvm = is_around || r->around ? jfr_place_jvm(c) : 0;
        code = jfr_order_chunk(&order, &in.file, is_around ? &all : &r->filter);
        for (size_t i = 0; i < order.count && code == 0; i++) {
            jfr_chunk_record(c->bytes, c->len, (size_t)(order.rows[i].bytes - c->bytes), &record);
            const struct jfr_type *type = jfr_chunk_type(c, record.type_id);
            if (is_around)
                add_around(r, type, &record);
            else
                take_event(r, type, &record);
        }
        if (code < 0 || (code = r->spans.error) < 0 || (code = r->groups.error) < 0)
            break;
    }
    jfr_order_done(&order);
    if (code < 0)
        jfr_input_say(&in, code);
    else if (is_around) /* what is damaged the other pass says */
        in.file.damage_count = 0;
    return jfr_input_close(&in) || code < 0 ? code : E_TRUNCATED;
}

/* What no 64 bits hold is without end; a sum of many such is no more. */
static void put_amount(struct run *r, double amount)
{
    struct textbuf *t = &r->out.text;
    bool fits = amount > -JFR_WHERE_EVER && amount < JFR_WHERE_EVER;

    if (isnan(amount))
        textbuf_text(t, "N/A");
    else if (r->unit == SPANS && amount >= JFR_WHERE_EVER)
        textbuf_text(t, "Forever");
    else if (r->unit == SPANS && fits)
        jfr_units_duration(t, javatext_span_of((int64_t)amount, 1), false);
    else if (r->unit == AMOUNTS && fits)
        jfr_units_amount(t, (int64_t)amount, r->marks, false);
    else
        textbuf_printf(t, "%.15g", amount);
}

/* A column of `width`, to the right, with a blank before it however long it is. */
static void put_column(struct run *r, double amount, size_t width)
{
    struct textbuf *t = &r->out.text;
    size_t start = t->len;

    put_amount(r, amount);
    size_t len = t->len - start, blanks = len < width ? width - len : 1;
    textbuf_fill(t, ' ', blanks);
    if (!t->is_bad) {
        memmove(t->bytes + start + blanks, t->bytes + start, len);
        memset(t->bytes + start, ' ', blanks);
    }
}

static void put_groups(struct run *r)
{
    enum { WIDTH = 13 };
    struct textbuf *t = &r->out.text;
    struct jfr_groups *g = &r->groups;

    jfr_groups_sort(g, r->order);
    textbuf_printf(t, "%10s%9s", "count", "share");
    if (r->sum)
        textbuf_printf(t, "%*s%*s%*s", WIDTH, "sum", WIDTH, "mean", WIDTH, "most");
    textbuf_printf(t, "  %s\n", r->group);
    for (size_t i = 0; i < g->count && i < r->top; i++) {
        const struct jfr_group *row = &g->rows[i];
        double part = r->sum ? row->sum : (double)row->count,
               whole = r->sum ? g->total_sum : (double)g->total_count;

        textbuf_printf(t, "%10" PRIu64 " %7.2f%%", row->count, whole > 0 ? 100 * part / whole : 0);
        if (r->sum) {
            bool has_any = row->valued > 0;

            put_column(r, has_any ? row->sum : NAN, WIDTH);
            put_column(r, has_any ? row->sum / (double)row->valued : NAN, WIDTH);
            put_column(r, has_any ? row->most : NAN, WIDTH);
        }
        textbuf_text(t, "  ");
        jfr_printer_plain(&r->out, row->name, strlen(row->name));
        textbuf_char(t, '\n');
    }
}

static int run_all(struct run *r, const char *path)
{
    int code = 0;

    if (r->group && strchr(r->group, '.')) {
        code = pass(r, path, true);
        jfr_around_sort(&r->spans);
    }
    if (code == 0)
        code = pass(r, path, false);
    if ((code < 0 && code != E_TRUNCATED) || r->seen == 0)
        return code;
    textbuf_printf(&r->out.text, "%s\n\n", r->title);
    if (r->group)
        put_groups(r);
    else if (jfr_table_put(&r->table, &r->out, r->top) < 0)
        r->groups.error = -ENOMEM;
    if (r->table.others > 0)
        say("%s: %" PRIu64 " events of other types than %s have tables of their own", path,
            r->table.others, r->table.type);
    if (r->groups.error == 0 && !r->out.text.is_bad)
        return code;
    say("%s: %s", path, err_text(-ENOMEM));
    return -ENOMEM;
}

/* `named`: the row of that name, NULL: events have it. Returns E_NOT_FOUND where the file has none
 * of the events; errors have been said. */
static int print(const struct jfr_view *view, const struct named *named, const char *path)
{
    static const struct jfr_table_how all = {0};
    struct run r = {
        .title = named ? named->title : view->name,
        .group = view->group_by ? view->group_by
                 : named        ? named->group
                                : NULL,
        .sum = view->sum ? view->sum
               : named   ? named->sum
                         : NULL,
        .order = view->sum || (named && named->sum)              ? JFR_GROUPS_BY_SUM
                 : named && named->is_by_name && !view->group_by ? JFR_GROUPS_BY_NAME
                                                                 : JFR_GROUPS_BY_COUNT,
        .where = view->where,
        .filter = {.events = named ? named->events : view->name},
        .top = view->top,
    };
    struct sink sink;
    int code = sink_init(&sink, STDOUT_FILENO);

    jfr_table_init(&r.table, named ? &named->how : &all);
    if (code == 0)
        code = jfr_printer_init(&r.out, &sink, 1);
    if (code < 0)
        say("%s: %s", path, err_text(code));
    if (code == 0) {
        code = run_all(&r, path);
        if (code == 0 && r.seen == 0)
            code = E_NOT_FOUND;
        jfr_printer_done(&r.out);
    }
    jfr_around_done(&r.spans);
    jfr_groups_done(&r.groups);
    jfr_table_done(&r.table);
    int done = sink_done(&sink);
    return code == 0 ? done : code;
}

/* Of the rows of that name the first that the file has events for. Returns as print() does. */
static int print_first(const struct jfr_view *view, const char *path)
{
    const struct named *named = find_view(view->name, NULL);
    int code = print(view, named, path);

    while (code == E_NOT_FOUND && named && (named = find_view(view->name, named)) != NULL)
        code = print(view, named, path);
    return code;
}

int jfr_view_print(const struct jfr_view *view, const char *path)
{
    const struct named *first = find_view(view->name, NULL);
    int code = print_first(view, path);

    if (code == E_NOT_FOUND)
        say("%s: has no event '%s'; 'hprof jfr summary' shows what it has", path,
            first ? first->events : view->name);
    return code == 0 ? CMD_OK : CMD_FAILED;
}

int jfr_view_print_any(const struct jfr_view *view, const char *path)
{
    int code = print_first(view, path);

    (void)fflush(stdout);
    if (code == 0 && write(STDOUT_FILENO, "\n", 1) < 0)
        return CMD_FAILED;
    return code == 0 || code == E_NOT_FOUND ? CMD_OK : CMD_FAILED;
}
