/*
 * query_event.c - see query_event.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_event.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "jfr/jfr_jvm.h"
#include "jfr/jfr_place.h"
#include "jfr/jfr_value.h"
#include "query/query_cell.h"
#include "query/query_jfr.h"
#include "query/query_scan.h"
#include "query/query_state.h"

enum { STEPS_MAX = 8 };

/* Where the value of a column lies in the events of the current chunk. */
struct place {
    uint64_t chunk;              /* for which the rest is right; 0: none */
    const struct jfr_type *type; /* likewise: a file may have two types of one name */
    int32_t steps[STEPS_MAX];    /* numbers of fields, from the event on */
    int32_t count;               /* 0: the events have no such field */
    enum query_shape cell;
};

/* A scan, with what is known of the current event. */
struct reading {
    struct query_scan scan;
    const struct query_jfr_type *type; /* whose columns are asked for */
    struct place *places;              /* by column of the type */
};

struct event_cursor {
    struct query_table_cursor base;
    struct reading at; /* its places: NULL: not yet */
};

/* ---- what is wanted */

/* The common column with this number; -1: it is a field. */
static int common_of(const struct query_jfr_type *t, uint32_t column)
{
    return column < t->field_count ? -1 : t->common[column - t->field_count];
}

static bool needs_constants(const struct query_jfr_type *t, const struct query_table_ask *ask)
{
    const unsigned of_constants = 1u << QUERY_JFR_THREAD | 1u << QUERY_JFR_THREAD_ID |
                                  1u << QUERY_JFR_STACK | 1u << QUERY_JFR_EVENT;
    for (uint32_t i = 0; i < t->table.column_count; i++) {
        int common = common_of(t, i);
        if (query_table_is_used(ask, i) &&
            (common < 0 ? t->fields[i].needs_constants : of_constants >> common & 1))
            return true;
    }
    return false;
}

static void bound_time(struct query_scan_wants *w, const struct query_table_bound *b)
{
    int type = sqlite3_value_numeric_type(b->value);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        return;
    /* A real number is rounded; one more ns on each side does no harm. */
    int64_t slack = type == SQLITE_FLOAT ? 1024 : 0, at = sqlite3_value_int64(b->value);
    int64_t low = at < INT64_MIN + slack ? INT64_MIN : at - slack;
    int64_t high = at > INT64_MAX - slack ? INT64_MAX : at + slack;
    bool is_low = b->op == QUERY_TABLE_GE || b->op == QUERY_TABLE_GT || b->op == QUERY_TABLE_EQ;
    bool is_high = b->op == QUERY_TABLE_LE || b->op == QUERY_TABLE_LT || b->op == QUERY_TABLE_EQ;
    if (is_low && low > w->from_ns)
        w->from_ns = low;
    if (is_high && high < w->to_ns)
        w->to_ns = high;
}

static void want_type(const struct query *q, struct query_scan_wants *w, sqlite3_value *value)
{
    const char *name = (const char *)sqlite3_value_text(value);
    const struct query_jfr_type *type = name ? query_jfr_find(q->jfr, name) : NULL;
    if (type)
        w->types[type->number] = 1;
}

static int bound_types(const struct query *q, struct query_scan_wants *w,
                       const struct query_table_bound *b)
{
    sqlite3_value *value = NULL;
    if (w->types)
        return 0; /* a second condition is left to SQLite */
    w->types = calloc(1, query_jfr_count(q->jfr) + 1);
    if (!w->types)
        return -ENOMEM;
    if (b->op == QUERY_TABLE_EQ)
        want_type(q, w, b->value);
    else
        for (int code = sqlite3_vtab_in_first(b->value, &value); code == SQLITE_OK && value;
             code = sqlite3_vtab_in_next(b->value, &value))
            want_type(q, w, value);
    return 0;
}

static int bound_thread(struct query_scan_wants *w, const struct query_table_bound *b)
{
    if (w->thread || b->op != QUERY_TABLE_EQ || sqlite3_value_type(b->value) != SQLITE_TEXT)
        return 0;
    w->thread = strdup((const char *)sqlite3_value_text(b->value));
    return w->thread ? 0 : -ENOMEM;
}

static int take_bound(const struct query_jfr_type *t, struct query_scan_wants *w,
                      const struct query_table_bound *b)
{
    switch (common_of(t, b->column)) {
    case -1: /* startTime */
    case QUERY_JFR_START:
        if (b->op != QUERY_TABLE_IN)
            bound_time(w, b);
        return 0;
    case QUERY_JFR_TYPE:
        return bound_types(t->table.query, w, b);
    case QUERY_JFR_THREAD:
        w->with_constants = true;
        return bound_thread(w, b);
    default:
        return 0;
    }
}

/* ---- fields */

/* Finds where the events of this chunk have the field. */
static void find_place(const struct reading *c, const struct query_jfr_field *field,
                       struct place *p)
{
    const struct jfr_type *type = c->scan.bind->type;
    const struct jfr_field *at = NULL;
    *p = (struct place){.chunk = c->scan.chunk, .type = type};
    for (const char *name = field->path; *name != '\0' && type;) {
        /* A name in the file may have dots itself: the longest one counts. */
        size_t len = strlen(name);
        int i = jfr_type_find_part(type, name, len);
        while (i < 0 && len > 0) {
            while (len > 0 && name[--len] != '.')
                ;
            i = len > 0 ? jfr_type_find_part(type, name, len) : -1;
        }
        if (i < 0 || p->count == STEPS_MAX) {
            p->count = 0;
            return;
        }
        p->steps[p->count++] = i;
        at = &type->fields[i];
        type = at->type;
        name += len + (name[len] == '.');
    }
    p->cell = at ? query_shape_of(at) : QUERY_SHAPE_NONE;
    if (p->cell == QUERY_SHAPE_THREAD && field->is_thread_id)
        p->cell = QUERY_SHAPE_THREAD_ID;
    if (p->cell == QUERY_SHAPE_METHOD && field->is_signature)
        p->cell = QUERY_SHAPE_SIGNATURE;
}

static void give_field(struct reading *c, struct query_value *to, uint32_t column)
{
    struct place *p = &c->places[column];
    struct jfr_value v, part;
    if (p->chunk != c->scan.chunk || p->type != c->scan.bind->type)
        find_place(c, &c->type->fields[column], p);
    if (p->count == 0)
        return;
    query_scan_field(&c->scan, p->steps[0], &v);
    for (int32_t i = 1; i < p->count; i++) {
        if (v.shape != JFR_OBJECT)
            return;
        jfr_value_field(&c->scan.file.chunk, &v, (uint32_t)p->steps[i], &part);
        v = part;
    }
    query_cell_give(&c->scan, to, p->cell, &v);
}

static void give_number(struct reading *c, struct query_value *to)
{
    struct jfr_value v;
    query_scan_field(&c->scan, c->scan.bind->bytes, &v);
    if (v.shape != JFR_NULL)
        query_cell_give(&c->scan, to, QUERY_SHAPE_NUMBER, &v);
}

static void give_mark(struct reading *c, struct query_value *to)
{
    const struct jfr_value event = jfr_value_event(c->scan.bind->type, &c->scan.record);
    struct jfr_place place;
    if (!jfr_place_shown(&c->scan.file.chunk, c->scan.jvm, &event, &place))
        return;
    struct query_event_mark mark = {place.thread, place.start_ns, place.end_ns};
    query_value_copied(to, (const char *)&mark, sizeof(mark));
    to->type = to->bytes ? QUERY_VALUE_BYTES : QUERY_VALUE_NULL;
}

static void give_common(struct reading *c, struct query_value *to, enum query_jfr_common common)
{
    struct query_scan *s = &c->scan;
    struct jfr_value v;
    switch (common) {
    case QUERY_JFR_TYPE:
        query_table_give_text(to, s->bind->known->name);
        return;
    case QUERY_JFR_START:
        if (query_scan_start_ns(s) != INT64_MIN)
            query_value_number(to, query_scan_start_ns(s));
        return;
    case QUERY_JFR_DURATION:
        query_value_number(to, query_scan_duration_ns(s));
        return;
    case QUERY_JFR_THREAD:
    case QUERY_JFR_THREAD_ID:
        query_scan_field(s, s->bind->thread, &v);
        query_cell_give(
            s, to, common == QUERY_JFR_THREAD ? QUERY_SHAPE_THREAD : QUERY_SHAPE_THREAD_ID, &v);
        return;
    case QUERY_JFR_STACK:
        query_scan_field(s, s->bind->stack, &v);
        query_cell_give(s, to, QUERY_SHAPE_STACK, &v);
        return;
    case QUERY_JFR_BYTES:
        give_number(c, to);
        return;
    case QUERY_JFR_INPUT:
        query_value_number(to, s->input);
        return;
    default:
        give_mark(c, to);
    }
}

static void give(struct reading *c, struct query_value *to, uint32_t column)
{
    int common = common_of(c->type, column);
    if (common < 0)
        give_field(c, to, column);
    else
        give_common(c, to, (enum query_jfr_common)common);
}

/* ---- the rows */

static int next_event(struct query_table_cursor *base)
{
    return query_scan_next(&((struct event_cursor *)base)->at.scan);
}

static int begin_events(struct query_table_cursor *base, const struct query_table_ask *ask)
{
    struct event_cursor *c = (struct event_cursor *)base;
    const struct query_jfr_type *t = c->base.table->of;
    struct query_scan_wants wants = {.only = t == &t->table.query->jfr->events ? NULL : t,
                                     .from_ns = INT64_MIN,
                                     .to_ns = INT64_MAX,
                                     .with_constants = needs_constants(t, ask)};
    int error = 0;
    for (uint32_t i = 0; error == 0 && i < ask->bound_count; i++)
        error = take_bound(t, &wants, &ask->bounds[i]);
    c->at.type = t;
    query_scan_end(&c->at.scan);
    query_scan_begin(&c->at.scan, t->table.query, &wants);
    if (!c->at.places)
        c->at.places = calloc(t->table.column_count + 1, sizeof(*c->at.places));
    for (uint32_t i = 0; c->at.places && i < t->table.column_count; i++)
        c->at.places[i].chunk = 0;
    if (error == 0 && !c->at.places)
        error = -ENOMEM;
    return error < 0 ? error : next_event(base);
}

static void end_events(struct query_table_cursor *base)
{
    struct event_cursor *c = (struct event_cursor *)base;
    query_scan_end(&c->at.scan);
    free(c->at.places);
    c->at.places = NULL;
}

static int give_column(struct query_table_cursor *base, struct query_value *to, uint32_t column)
{
    give(&((struct event_cursor *)base)->at, to, column);
    return 0;
}

/* ---- all events in one pass */

struct query_event_walk {
    struct reading at;
    struct place **places; /* by number of a type; NULL: none of it was met */
    uint32_t types;
    uint64_t chunk; /* of `jvm` */
    struct jfr_jvm jvm;
};

int query_event_walk_open(struct query *q, struct query_event_walk **ret_walk)
{
    const struct query_scan_wants wants = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .with_constants = true};
    struct query_event_walk *w = calloc(1, sizeof(*w));
    *ret_walk = w;
    if (!w)
        return -ENOMEM;
    w->types = query_jfr_count(q->jfr);
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the rows are pointers */
    w->places = calloc((size_t)w->types + 1, sizeof(*w->places));
    query_scan_begin(&w->at.scan, q, &wants);
    return w->places ? 0 : -ENOMEM;
}

int query_event_walk_next(struct query_event_walk *w, const struct query_jfr_type **ret_type)
{
    int got = query_scan_next(&w->at.scan);
    if (got <= 0)
        return got;
    const struct query_jfr_type *type = w->at.scan.bind->known;
    struct place **places = &w->places[type->number];
    if (!*places)
        *places = calloc((size_t)type->table.column_count + 1, sizeof(**places));
    if (!*places)
        return -ENOMEM;
    w->at.type = type;
    w->at.places = *places;
    *ret_type = type;
    return 1;
}

void query_event_walk_give(struct query_event_walk *w, uint32_t column, struct query_value *to)
{
    give(&w->at, to, column);
}

void query_event_walk_common(struct query_event_walk *w, enum query_jfr_common common,
                             struct query_value *to)
{
    give_common(&w->at, to, common);
}

const struct jfr_jvm *query_event_walk_jvm(struct query_event_walk *w)
{
    struct jfr_jvm jvm;
    if (w->chunk != w->at.scan.chunk && jfr_jvm_read(&w->at.scan.file.chunk, &jvm))
        w->jvm = jvm;
    w->chunk = w->at.scan.chunk;
    return &w->jvm;
}

void query_event_walk_close(struct query_event_walk *w)
{
    if (!w)
        return;
    query_scan_end(&w->at.scan);
    for (uint32_t i = 0; w->places && i < w->types; i++)
        free(w->places[i]);
    free(w->places);
    free(w);
}

int query_event_open(struct query *q)
{
    static const struct query_table_kind kind = {sizeof(struct event_cursor), begin_events,
                                                 next_event, give_column, end_events};
    return query_jfr_open(q, &kind);
}
