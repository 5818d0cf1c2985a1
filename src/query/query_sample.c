/*
 * query_sample.c - see query_sample.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_sample.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "kind/kind.h"
#include "profile/carry.h"
#include "profile/context.h"
#include "profile/process_set.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"
#include "query/query_context.h"
#include "query/query_limit.h"
#include "query/query_state.h"
#include "query/query_threads.h"
#include "reading/load.h"

enum { ROWS_BETWEEN = 1 << 14, WORDS = 1024 };

/** A sum. Texts are strings of the query's model. */
struct sample {
    uint64_t value[KIND_VALUES];
    uint32_t input, kind, thread;
    trace_id stack;
    string_id klass, text, context;
};

struct query_samples {
    struct sample *rows;
    size_t count, room;
    struct query_contexts *contexts;
    bool is_read;
};

/* ---- reading */

static void tell_nothing(struct diag *self, int code, const char *place, const char *text)
{
    (void)self;
    (void)code;
    (void)place;
    (void)text;
}

/* One input while it is read. */
struct intake {
    struct query *q;
    struct carry carry;
    uint32_t input;
    string_id *contexts; /* by the profile's number: the words of a context; 0: not made yet */
};

static struct sample *add_row(struct query_samples *s)
{
    if (s->count == s->room) {
        size_t room = s->room * 2 + 1024;
        struct sample *rows = realloc(s->rows, room * sizeof(*rows));
        if (!rows)
            return NULL;
        s->rows = rows;
        s->room = room;
    }
    s->rows[s->count] = (struct sample){0};
    return &s->rows[s->count++];
}

static uint32_t thread_of(struct intake *in, thread_id id)
{
    if (id == 0)
        return 0;
    const struct profile_thread *t = profile_thread_at(in->q->model, id);
    const struct query_threads_row row = {.java_id = t->java_id,
                                          .os_id = t->os_id ? t->os_id : t->serial,
                                          .name = t->name,
                                          .group = t->group,
                                          .input = in->input};
    return query_threads_add(in->q->threads, &row);
}

/* Adds the keys of a context, whose words are `whole`. */
static int add_keys(struct intake *in, context_id id, string_id whole)
{
    struct profile *p = in->carry.from, *to = in->q->model;
    struct context_set *set = profile_contexts(p);
    int error = whole ? 0 : -ENOMEM;
    for (uint32_t k = 0; k < set->key_count && error == 0; k++) {
        string_id value = context_value(set, id, (int)k);
        if (!value)
            continue;
        string_id key = profile_cstring(to, profile_string_at(p, set->keys[k].name)->bytes);
        value = profile_cstring(to, profile_string_at(p, value)->bytes);
        error = key && value
                    ? query_context_add(in->q->samples->contexts, in->input, whole, key, value)
                    : -ENOMEM;
    }
    return error;
}

/* "user=alice, action=load"; 0: nothing. */
static string_id context_words(struct intake *in, context_id id)
{
    struct profile *p = in->carry.from;
    struct context_set *set = profile_contexts(p);
    char words[WORDS];
    size_t len = 0;
    if (id && in->contexts[id])
        return in->contexts[id];
    for (uint32_t k = 0; id && k < set->key_count; k++) {
        string_id value = context_value(set, id, (int)k);
        if (!value || len >= sizeof(words))
            continue;
        len += (size_t)snprintf(words + len, sizeof(words) - len, "%s%s=%s", len > 0 ? ", " : "",
                                profile_string_at(p, set->keys[k].name)->bytes,
                                profile_string_at(p, value)->bytes);
    }
    if (len == 0)
        return 0;
    in->contexts[id] = profile_cstring(in->q->model, words);
    return add_keys(in, id, in->contexts[id]) == 0 ? in->contexts[id] : 0;
}

static int take_sum(struct intake *in, enum kind_id kind, const struct sum *sum)
{
    struct profile *to = in->q->model;
    struct sample *row = add_row(in->q->samples);
    trace_id trace = carry_trace(&in->carry, sum->trace);
    if (!row || !trace)
        return -ENOMEM;
    const struct profile_trace *t = profile_trace_at(to, trace);
    class_id klass = sum->klass ? carry_class(&in->carry, sum->klass) : 0;
    row->input = in->input;
    row->kind = kind;
    row->thread = thread_of(in, t->thread);
    row->stack = t->thread ? profile_trace(to, 0, t->frames, t->depth) : trace;
    row->klass = klass ? profile_class_at(to, klass)->name : 0;
    row->text = sum->text ? carry_string(&in->carry, sum->text) : 0;
    row->context = context_words(in, sum->context);
    for (uint32_t i = 0; i < kind_value_count(kind); i++)
        row->value[i] = sum->value[i];
    return row->stack ? 0 : -ENOMEM;
}

static int take_profile(struct intake *in, struct profile *from)
{
    int error = carry_init(&in->carry, from, in->q->model);
    in->contexts = calloc(profile_contexts(from)->rows.count + (size_t)1, sizeof(*in->contexts));
    if (error == 0 && !in->contexts)
        error = -ENOMEM;
    for (int kind = 0; kind < KIND_COUNT && error == 0; kind++) {
        struct sums *sums = profile_sums(from, (enum kind_id)kind);
        for (uint32_t i = 1; i <= sums->rows.count && error == 0; i++) {
            error = take_sum(in, (enum kind_id)kind, sums_at(sums, i));
            if (i % ROWS_BETWEEN == 0 && query_limit_is_over(in->q))
                error = -EINTR;
        }
    }
    carry_done(&in->carry);
    free(in->contexts);
    return error;
}

/* Keeps the name of the program that was profiled. */
static void name_program(struct query_input *file, struct profile *p)
{
    const struct process_set *processes = profile_processes(p);
    string_id name = process_set_count(processes) > 0 ? process_set_at(processes, 1)->name : 0;
    if (!name)
        name = profile_program(p);
    if (name)
        snprintf(file->program, sizeof(file->program), "%s", profile_string_at(p, name)->bytes);
}

static int read_input(struct query *q, struct query_input *file)
{
    struct diag quiet = {.tell = tell_nothing};
    const struct load_how how = {.name = file->word,
                                 .memory = q->options.memory_bytes,
                                 .want = {.with_threads = true, .with_contexts = true},
                                 .is_again = file->is_damage_told};
    struct intake in = {.q = q, .input = file->number};
    struct load load;
    /* A heap dump has no samples, which is no fault of it. */
    int error = load_open(file->path, &how, file->is_heap ? &quiet : q->options.diag, &load);
    if (error == 0) {
        name_program(file, load.profile);
        error = take_profile(&in, load.profile);
    } else if (error != -ENOMEM) {
        q->is_damaged |= !file->is_heap;
    }
    q->is_damaged |= load.damaged && !file->is_heap;
    load_close(&load);
    return error == -ENOMEM || error == -EINTR ? error : 0;
}

int query_sample_load(struct query *q)
{
    struct query_samples *s = q->samples;
    int error = 0;
    if (s->is_read)
        return 0;
    s->count = 0;
    query_context_clear(s->contexts);
    for (size_t i = 0; i < q->input_count && error == 0; i++)
        if (q->inputs[i].is_profile)
            error = read_input(q, &q->inputs[i]);
    s->is_read = error == 0;
    return error;
}

void query_sample_close(struct query_samples *s)
{
    if (s) {
        query_context_close(s->contexts);
        free(s->rows);
    }
}

/* ---- the table */

enum {
    COLUMN_SERIES,
    COLUMN_VALUE,
    COLUMN_UNIT,
    COLUMN_KIND,
    COLUMN_MEASURE,
    COLUMN_THREAD,
    COLUMN_THREAD_ID,
    COLUMN_STACK,
    COLUMN_CLASS,
    COLUMN_TEXT,
    COLUMN_CONTEXT,
    COLUMN_INPUT,
};

struct sample_cursor {
    struct query_table_cursor base;
    size_t row;     /* from 1; 0: none yet */
    uint32_t value; /* of the row; behind the last one: none yet */
};

static const struct sample *row_of(const struct sample_cursor *c)
{
    return &c->base.table->query->samples->rows[c->row - 1];
}

static int next_sample(struct query_table_cursor *base)
{
    struct sample_cursor *c = (struct sample_cursor *)base;
    const struct query_samples *s = base->table->query->samples;
    for (;;) {
        if (c->row == 0 || ++c->value >= kind_value_count((enum kind_id)row_of(c)->kind)) {
            if (c->row == s->count)
                return 0;
            c->row++;
            c->value = 0;
        }
        if (row_of(c)->value[c->value] > 0)
            return 1;
    }
}

static int begin_samples(struct query_table_cursor *base, const struct query_table_ask *ask)
{
    struct sample_cursor *c = (struct sample_cursor *)base;
    int error = query_sample_load(base->table->query);
    (void)ask;
    c->row = 0;
    c->value = 0;
    return error < 0 ? error : next_sample(base);
}

static const char *series_word(const struct sample_cursor *c)
{
    for (const struct series *s = series_next(NULL); s; s = series_next(s))
        if (s->kind == (enum kind_id)row_of(c)->kind && s->value == c->value)
            return s->word;
    return NULL;
}

static int give_column(struct query_table_cursor *base, struct query_value *to, uint32_t column)
{
    const struct sample_cursor *c = (struct sample_cursor *)base;
    const struct sample *row = row_of(c);
    const struct kind_value *value = &kind_all[row->kind]->values[c->value];
    struct query *q = base->table->query;
    switch (column) {
    case COLUMN_SERIES:
        query_table_give_text(to, series_word(c));
        break;
    case COLUMN_VALUE:
        query_value_number(to, (int64_t)row->value[c->value]);
        break;
    case COLUMN_UNIT:
        query_table_give_text(to, kind_unit_word(value->unit));
        break;
    case COLUMN_KIND:
        query_table_give_text(to, kind_all[row->kind]->word);
        break;
    case COLUMN_MEASURE:
        query_table_give_text(to, value->words);
        break;
    case COLUMN_THREAD:
        query_give_string(q, to, row->thread ? query_threads_at(q->threads, row->thread)->name : 0);
        break;
    case COLUMN_THREAD_ID:
        if (row->thread)
            query_value_number(to, row->thread);
        break;
    case COLUMN_STACK:
        query_value_number(to, row->stack);
        break;
    case COLUMN_CLASS:
        query_give_string(q, to, row->klass);
        break;
    case COLUMN_TEXT:
        query_give_string(q, to, row->text);
        break;
    case COLUMN_CONTEXT:
        query_give_string(q, to, row->context);
        break;
    default:
        query_value_number(to, row->input);
    }
    return 0;
}

int query_sample_open(struct query *q)
{
    static const struct query_table_column columns[] = {
        {"series", "TEXT",
         "The word of the value, as in `hprof report --event`; NULL: it has none.", 0, 0},
        {"value", "INTEGER", "The sum.", 0, 0},
        {"unit", "TEXT", "ns, bytes or count.", 0, 0},
        {"kind", "TEXT", "The kind of events that were summed up.", 0, 0},
        {"measure", "TEXT", "Which of the kind's values it is.", 0, 0},
        {"thread", "TEXT", "The name of the thread, where the file keeps threads apart.", 0, 0},
        {"thread_id", "INTEGER", "Its number in the table threads.", 0, 0},
        {"stack", "INTEGER", "The stack, a number in the table stacks.", 0, 0},
        {"class", "TEXT", "The class of the objects, the lock or the exception.", 0, 0},
        {"text", "TEXT",
         "What else the rows are kept apart by: the cause of a collection, a monitor.", 0, 0},
        {"context", "TEXT", "What the thread worked for, as in user=alice.", 0, 0},
        {"input", "INTEGER", "The number of the input.", 0, 0},
    };
    static const struct query_table_kind kind = {sizeof(struct sample_cursor), begin_samples,
                                                 next_sample, give_column, NULL};
    static const struct query_table table = {.kind = &kind,
                                             .name = "samples",
                                             .about =
                                                 "What was measured, summed up by stack, thread "
                                                 "and class, from a profile of any format.",
                                             QUERY_TABLE_COLUMNS(columns),
                                             .rows = 100000};
    q->samples = arena_alloc(&q->arena, sizeof(*q->samples));
    int error = q->samples ? query_add_copy(q, &table) : -ENOMEM;
    if (error < 0)
        return error;
    q->samples->contexts = query_context_open(q, query_sample_load);
    return q->samples->contexts ? 0 : -ENOMEM;
}
