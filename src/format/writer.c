/*
 * writer.c - the order of the rows of a table, and what happens at a slot that a writer does not
 * fill: see writer.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/writer.h"
#include <stdlib.h>
#include "format/writer_sites.h"

/* Equal rows are ordered by the values after the first, if the kind has any, then by the number of
 * the trace, which is their order in the file. */
static int by_rank(const void *left, const void *right, void *index)
{
    const struct event *l = left, *r = right;
    uint32_t by = *(const uint32_t *)index;
    if (l->value[by] != r->value[by])
        return l->value[by] > r->value[by] ? -1 : 1;
    for (int i = 1; i < KIND_VALUES; i++)
        if (l->value[i] != r->value[i])
            return l->value[i] > r->value[i] ? -1 : 1;
    return l->trace < r->trace ? -1 : l->trace > r->trace;
}

/* Whether a row is left out, because it says nothing. A monitor without waiting time is left out; a
 * method whose calls took no time is not. */
static bool is_empty(const struct writer_table *t, const struct event *row)
{
    bool is_zero = row->value[t->ranked_by] == 0;
    for (int i = 1; i < KIND_VALUES && is_zero && !kind_all[t->kind]->text.needs_time; i++)
        is_zero = row->value[i] == 0;
    return is_zero;
}

static void rank(struct writer_table *t)
{
    uint32_t shown = 0;
    if (t->count > 0)
        qsort_r(t->rows, t->count, sizeof(*t->rows), by_rank, &t->ranked_by);
    while (shown < t->count && !is_empty(t, &t->rows[shown]) &&
           !(t->total > 0 &&
             (double)t->rows[shown].value[t->ranked_by] / (double)t->total < t->cutoff))
        shown++;
    t->shown = shown;
}

static int put_rows(struct writer_out *o, struct writer_table *t)
{
    int error = 0;
    if (o->writer->table)
        return o->writer->table(o, t);
    for (uint32_t i = 0; i < t->count && !error; i++)
        error = writer_event(o, &t->rows[i]);
    return error;
}

int writer_table(struct writer_out *o, struct writer_table *t)
{
    rank(t);
    return t->is_of_events && o->writer->event ? 0 : put_rows(o, t);
}

int writer_sites(struct writer_out *o, struct writer_sites *t)
{
    int error = 0;
    if (o->writer->sites)
        return o->writer->sites(o, t);
    for (uint32_t i = 0; i < t->count && !error; i++) {
        struct event *row = &t->rows[i].site;
        error = put_rows(o, &(struct writer_table){.kind = row->kind, .rows = row, .count = 1});
    }
    return error;
}
