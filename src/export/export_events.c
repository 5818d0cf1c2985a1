/*
 * export_events.c - the events of JFR files: a table for each type, in one pass through the file.
 *
 * A table has what all events have, then the fields of the type. Fields that repeat what all events
 * have are left out.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "export/export_events.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "command/textbuf.h"
#include "export/export_columns.h"
#include "jfr/jfr_jvm.h"
#include "query/query_event.h"
#include "query/query_load.h"
#include "query/query_state.h"

/* What all events have, in the order of the columns. */
static const struct {
    const char *name;
    enum export_type type;
    enum query_jfr_common common;
} commons[] = {
    {"start", EXPORT_NUMBER, QUERY_JFR_START}, {"duration", EXPORT_NUMBER, QUERY_JFR_DURATION},
    {"thread", EXPORT_TEXT, QUERY_JFR_THREAD}, {"thread_id", EXPORT_NUMBER, QUERY_JFR_THREAD_ID},
    {"stack", EXPORT_NUMBER, QUERY_JFR_STACK}, {"bytes", EXPORT_NUMBER, QUERY_JFR_BYTES}};
enum { COMMONS = sizeof(commons) / sizeof(commons[0]), STACK = 4 };

/* A type of events while its events are written. */
struct type_out {
    struct export_table table;
    uint32_t *fields; /* the columns of the query's table that are written behind the others */
    uint32_t field_count;
    struct query_value *values;
};

struct pass {
    struct export_state *state;
    struct query_event_walk *walk;
    struct type_out *types; /* by number of the type */
    uint32_t type_count;
    struct textbuf frames;
    uint64_t chunk_jvm; /* the pid of the JVM whose service `place` has */
};

static enum export_type type_of(const char *word)
{
    return strcmp(word, "INTEGER") == 0 ? EXPORT_NUMBER
           : strcmp(word, "REAL") == 0  ? EXPORT_REAL
                                        : EXPORT_TEXT;
}

/* Whether a field is what a common column has. */
static bool is_repeated(const struct query_jfr_type *t, const struct query_jfr_field *field)
{
    static const char *const repeated[] = {"startTime", "duration", "eventThread", "stackTrace"};
    for (size_t i = 0; i < sizeof(repeated) / sizeof(repeated[0]); i++)
        if (strcmp(field->path, repeated[i]) == 0)
            return true;
    if (strcmp(field->path, "sampledThread") != 0)
        return false;
    for (uint32_t i = 0; i < t->field_count; i++)
        if (strcmp(t->fields[i].path, "eventThread") == 0)
            return false;
    return true;
}

static int add_fields(struct export_columns *c, struct type_out *out,
                      const struct query_jfr_type *t)
{
    int error = 0;
    for (uint32_t i = 0; i < t->field_count && error == 0; i++) {
        if (is_repeated(t, &t->fields[i]) || t->fields[i].is_signature)
            continue;
        out->fields[out->field_count++] = i;
        error = export_columns_add(c, t->table.columns[i].name, type_of(t->table.columns[i].type));
    }
    return error;
}

static int begin_type(struct pass *p, struct type_out *out, const struct query_jfr_type *t)
{
    struct export_columns c;
    int error = export_columns_begin(&c, p->state->query);
    for (size_t i = 0; i < COMMONS && error == 0; i++)
        error = export_columns_add(&c, commons[i].name, commons[i].type);
    if (error == 0)
        error = export_columns_add_options(&c, p->state->options);
    out->fields = calloc((size_t)t->field_count + 1, sizeof(*out->fields));
    if (error == 0 && out->fields)
        error = add_fields(&c, out, t);
    out->values = calloc((size_t)c.count + 1, sizeof(*out->values));
    if (error < 0 || !out->fields || !out->values)
        return -ENOMEM;
    out->table = (struct export_table){.group = "events",
                                       .type = t->table.name,
                                       .columns = c.of,
                                       .column_count = c.count,
                                       .has_day = true,
                                       .has_service = true};
    return 0;
}

/* Chunks of a merged file may be of several JVMs. */
static void take_jvm(struct pass *p)
{
    const struct jfr_jvm *jvm = query_event_walk_jvm(p->walk);
    if (jvm->pid == 0 || jvm->pid == p->chunk_jvm)
        return;
    p->chunk_jvm = jvm->pid;
    p->state->pid = jvm->pid;
    p->state->start_ms = jvm->start_ms;
    p->state->place.service = export_columns_service(p->state, jvm->program);
}

static int put_event(struct pass *p, const struct query_jfr_type *t)
{
    struct type_out *out = &p->types[t->number];
    struct export_state *s = p->state;
    int error = out->values ? 0 : begin_type(p, out, t);
    if (error < 0)
        return error;
    struct query_value *v = out->values;
    memset(v, 0, out->table.column_count * sizeof(*v));
    query_value_number(&v[0], s->input);
    for (size_t i = 0; i < COMMONS; i++)
        query_event_walk_common(p->walk, commons[i].common, &v[1 + i]);
    uint32_t at = 1 + COMMONS;
    at += export_columns_give_options(s, v[1 + STACK].number, &p->frames, &v[at]);
    for (uint32_t i = 0; i < out->field_count; i++)
        query_event_walk_give(p->walk, out->fields[i], &v[at + i]);
    take_jvm(p);
    struct export_place place = s->place;
    if (v[1].type == QUERY_VALUE_NUMBER)
        place.day = export_day(v[1].number);
    error = s->options->writer->row(s->out, &out->table, &place, v);
    for (uint32_t i = 0; i < out->table.column_count; i++)
        if (v[i].drop)
            query_value_done(&v[i]);
    s->rows++;
    return error;
}

int export_events(struct export_state *s)
{
    struct pass p = {.state = s, .type_count = query_jfr_count(s->query->jfr)};
    const struct query_jfr_type *type;
    int got = query_event_walk_open(s->query, &p.walk);
    p.types = calloc((size_t)p.type_count + 1, sizeof(*p.types));
    if (got == 0 && !p.types)
        got = -ENOMEM;
    if (got == 0)
        while ((got = query_event_walk_next(p.walk, &type)) > 0) {
            got = put_event(&p, type);
            if (got < 0)
                break;
        }
    for (uint32_t i = 0; p.types && i < p.type_count; i++) {
        s->options->writer->forget(s->out, &p.types[i].table);
        free(p.types[i].fields);
        free(p.types[i].values);
    }
    free(p.types);
    textbuf_done(&p.frames);
    query_event_walk_close(p.walk);
    query_load_note(s->query);
    return got;
}
