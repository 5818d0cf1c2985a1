/*
 * export_fixed.c - the tables that have the same columns for every input: samples, stacks, frames,
 * threads, inputs. All but the last are tables of src/query, read as they are.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "export/export_fixed.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/err.h"
#include "command/textbuf.h"
#include "export/export_columns.h"
#include "kind/kind.h"
#include "profile/profile.h"
#include "query/query_limit.h"
#include "query/query_sample.h"
#include "query/query_stack.h"
#include "query/query_state.h"
#include "safe/clock.h"

/* Between two looks at the clock. */
enum { ROWS_BETWEEN = 1 << 14, STACKS_BETWEEN = 1 << 10 };

/* A table of the query while its rows are written. */
struct fixed {
    struct export_state *state;
    const struct query_table *from;
    struct export_table to;
    int32_t input, stack, kind; /* columns of `from`; -1: it has none */
    bool has_options;           /* labels, and stacks as texts */
    struct export_table *kinds; /* of samples: a table for each kind, with the same columns */
    struct query_value *values;
    struct textbuf frames;
};

static const struct query_table *find_table(const struct query *q, const char *name)
{
    for (size_t i = 0; i < q->tables.count; i++)
        if (strcmp(q->tables.of[i]->name, name) == 0)
            return q->tables.of[i];
    return NULL;
}

static int32_t find_column(const struct query_table *t, const char *name)
{
    for (uint32_t i = 0; i < t->column_count; i++)
        if (strcmp(t->columns[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

static int begin_fixed(struct fixed *f, const char *name, uint32_t keys)
{
    struct export_columns c;
    struct query *q = f->state->query;
    f->from = find_table(q, name);
    if (!f->from)
        return E_NOT_FOUND;
    f->input = find_column(f->from, "input");
    f->stack = find_column(f->from, "stack");
    f->kind = find_column(f->from, "kind");
    int error = export_columns_begin(&c, q);
    for (uint32_t i = 0; i < f->from->column_count && error == 0; i++)
        if ((int32_t)i != f->input)
            error = export_columns_add(
                &c, f->from->columns[i].name,
                strcmp(f->from->columns[i].type, "INTEGER") == 0 ? EXPORT_NUMBER : EXPORT_TEXT);
    if (error == 0 && f->has_options)
        error = export_columns_add_options(&c, f->state->options);
    f->values = calloc((size_t)c.count + 1, sizeof(*f->values));
    if (error < 0 || !f->values)
        return -ENOMEM;
    f->to = (struct export_table){
        .group = name, .columns = c.of, .column_count = c.count, .key_count = keys};
    return 0;
}

/* Fills in the values of the current row. Errors: 0; negative. */
static int take_row(struct fixed *f, struct query_table_cursor *at)
{
    uint32_t to = 1;
    int64_t stack = 0;
    int error = 0;
    memset(f->values, 0, f->to.column_count * sizeof(*f->values));
    query_value_number(&f->values[0], f->state->input);
    for (uint32_t i = 0; i < f->from->column_count && error == 0; i++) {
        if ((int32_t)i == f->input)
            continue;
        error = f->from->kind->column(at, &f->values[to], i);
        if ((int32_t)i == f->stack)
            stack = f->values[to].number;
        to++;
    }
    if (f->has_options)
        export_columns_give_options(f->state, stack, &f->frames, &f->values[to]);
    return error;
}

/* Calls `put` with each row. */
static int each_row(struct fixed *f, int (*put)(struct fixed *f))
{
    struct query_table_cursor *at = calloc(1, f->from->kind->cursor_bytes);
    const struct query_table_ask ask = {.used = UINT64_MAX};
    if (!at)
        return -ENOMEM;
    at->table = f->from;
    int got = f->from->kind->begin(at, &ask);
    for (uint64_t rows = 1; got > 0; rows++) {
        got = rows % ROWS_BETWEEN == 0 && query_limit_is_over(f->state->query) ? -EINTR
                                                                               : take_row(f, at);
        if (got == 0)
            got = put(f);
        f->state->rows++;
        if (got == 0)
            got = f->from->kind->next(at);
    }
    if (f->from->kind->end)
        f->from->kind->end(at);
    free(at);
    return got;
}

static void end_fixed(struct fixed *f)
{
    free(f->values);
    textbuf_done(&f->frames);
}

/* ---- samples */

static int put_sample(struct fixed *f)
{
    const struct query_value *kind = &f->values[1 + f->kind];
    for (int i = 0; i < KIND_COUNT; i++) {
        if (!kind->bytes || strcmp(kind_all[i]->word, kind->bytes) != 0)
            continue;
        struct export_table *t = &f->kinds[i];
        if (!t->group) {
            *t = f->to;
            t->type = kind_all[i]->word;
            t->has_day = true;
            t->has_service = true;
        }
        return f->state->options->writer->row(f->state->out, t, &f->state->place, f->values);
    }
    return E_NOT_FOUND;
}

int export_fixed_samples(struct export_state *s)
{
    struct export_table kinds[KIND_COUNT] = {{0}};
    struct fixed f = {.state = s, .has_options = true, .kinds = kinds};
    int error = query_sample_load(s->query);
    s->place.service = export_columns_service(s, s->query->inputs[0].program);
    if (error == 0)
        error = begin_fixed(&f, "samples", 0);
    if (error == 0)
        error = each_row(&f, put_sample);
    for (int i = 0; i < KIND_COUNT; i++)
        if (kinds[i].group)
            s->options->writer->forget(s->out, &kinds[i]);
    end_fixed(&f);
    return error;
}

/* ---- the rest */

static int put_row(struct fixed *f)
{
    return f->state->options->writer->row(f->state->out, &f->to, &f->state->place, f->values);
}

static int put_table(struct export_state *s, const char *name, uint32_t keys)
{
    struct fixed f = {.state = s};
    int error = begin_fixed(&f, name, keys);
    if (error == 0)
        error = each_row(&f, put_row);
    s->options->writer->forget(s->out, &f.to);
    end_fixed(&f);
    return error;
}

/* Writes the table `stacks`, which has more rows than all others: straight from the model. */
static int put_stacks(struct export_state *s)
{
    struct fixed f = {.state = s};
    struct query *q = s->query;
    int error = begin_fixed(&f, "stacks", 3);
    if (error == 0)
        error = q->load(q);
    uint32_t count = error == 0 ? profile_trace_count(q->model) : 0;
    for (uint32_t stack = 1; stack <= count && error == 0; stack++) {
        const frame_id *frames;
        uint32_t depth = query_stack_frames(q, stack, &frames);
        if (stack % STACKS_BETWEEN == 0 && query_limit_is_over(q))
            error = -EINTR;
        query_value_number(&f.values[0], s->input);
        query_value_number(&f.values[1], stack);
        for (uint32_t i = 0; i < depth && error == 0; i++) {
            query_value_number(&f.values[2], i);
            query_value_number(&f.values[3], frames[i]);
            error = put_row(&f);
            s->rows++;
        }
    }
    s->options->writer->forget(s->out, &f.to);
    end_fixed(&f);
    return error;
}

static void give_known(struct query_value *to, int64_t number)
{
    if (number > 0)
        query_value_number(to, number);
}

static int put_input(struct export_state *s)
{
    static const struct {
        const char *name;
        enum export_type type;
    } rows[] = {{"name", EXPORT_TEXT},    {"format", EXPORT_TEXT},      {"bytes", EXPORT_NUMBER},
                {"pid", EXPORT_NUMBER},   {"jvm_start", EXPORT_NUMBER}, {"exported", EXPORT_NUMBER},
                {"exporter", EXPORT_TEXT}};
    enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
    const struct query_input *in = &s->query->inputs[0];
    struct query_value v[1 + ROWS + EXPORT_LABELS + 2] = {{0}};
    struct export_options labels = *s->options;
    struct export_state narrow = *s;
    struct export_columns c;
    int error = export_columns_begin(&c, s->query);
    for (size_t i = 0; i < ROWS && error == 0; i++)
        error = export_columns_add(&c, rows[i].name, rows[i].type);
    labels.is_flat = false;
    narrow.options = &labels;
    if (error == 0)
        error = export_columns_add_options(&c, &labels);
    if (error < 0)
        return error;
    query_value_number(&v[0], s->input);
    query_value_kept(&v[1], in->word, strlen(in->word));
    query_value_kept(&v[2], in->format, strlen(in->format));
    query_value_number(&v[3], (int64_t)in->bytes);
    give_known(&v[4], s->pid);
    give_known(&v[5], s->start_ms > INT64_MAX / NS_PER_MS ? 0 : s->start_ms * NS_PER_MS);
    query_value_number(&v[6], (int64_t)clock_ns(CLOCK_REALTIME));
    query_value_kept(&v[7], "hprof " HPROF_VERSION, strlen("hprof " HPROF_VERSION));
    export_columns_give_options(&narrow, 0, NULL, &v[1 + ROWS]);
    struct export_table t = {.group = "inputs",
                             .columns = c.of,
                             .column_count = c.count,
                             .key_count = 1,
                             .has_service = true};
    error = s->options->writer->row(s->out, &t, &s->place, v);
    s->options->writer->forget(s->out, &t);
    s->rows++;
    return error;
}

int export_fixed_rest(struct export_state *s)
{
    int error = put_stacks(s);
    if (error == 0)
        error = put_table(s, "frames", 2);
    if (error == 0)
        error = put_table(s, "threads", 2);
    return error == 0 ? put_input(s) : error;
}
