/*
 * hprof_out.c - what the two HPROF writers share: see hprof_out.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_out.h"
#include <stdlib.h>
#include "profile/sums.h"

void hprof_out_init(struct hprof_out *o, const struct hprof_out_ops *ops, struct sink *sink,
                    struct profile *profile, const struct hprof_out_config *config)
{
    *o = (struct hprof_out){.ops = ops,
                            .sink = sink,
                            .profile = profile,
                            .tally = config->tally ? config->tally : profile_tally(profile),
                            .config = *config};
    if (o->config.id_bytes == 0)
        o->config.id_bytes = 4;
    hprof_marks_init(&o->marks, config->marks_bytes);
}

void hprof_out_done(struct hprof_out *o)
{
    hprof_marks_done(&o->marks);
}

void hprof_out_again(struct hprof_out *o)
{
    struct profile *p = o->profile;
    hprof_marks_forget(&o->marks);
    for (class_id id = 1; id <= profile_class_count(p); id++) {
        uint64_t object = hprof_marks_class(&o->marks, id);
        hprof_marks_set_class(&o->marks, id, 0);
        if (object != 0)
            o->ops->load_class(o, id, object);
    }
    for (thread_id id = 1; id <= profile_thread_count(p); id++) {
        if (!profile_thread_at(p, id)->ended)
            o->ops->start_thread(o, id);
    }
}

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
static bool is_empty(const struct hprof_out_table *t, const struct event *row)
{
    bool is_zero = row->value[t->ranked_by] == 0;
    for (int i = 1; i < KIND_VALUES && is_zero && !kind_all[t->kind]->text.needs_time; i++)
        is_zero = row->value[i] == 0;
    return is_zero;
}

uint32_t hprof_out_rank(const struct hprof_out *o, struct hprof_out_table *t)
{
    uint32_t shown = 0;
    if (t->count > 0)
        qsort_r(t->rows, t->count, sizeof(*t->rows), by_rank, &t->ranked_by);
    while (shown < t->count && !is_empty(t, &t->rows[shown]) &&
           !(t->total > 0 &&
             (double)t->rows[shown].value[t->ranked_by] / (double)t->total < o->config.cutoff))
        shown++;
    return shown;
}

void hprof_out_samples(struct hprof_out *o)
{
    enum kind_id kind = kind_of_text(KIND_TEXT_SAMPLES);
    const struct sums *sums = tally_sums(o->tally, kind);
    struct hprof_out_table t = {.kind = kind};
    if (sums->rows.count > 0)
        t.rows = malloc(sums->rows.count * sizeof(*t.rows));
    for (uint32_t i = 1; i <= sums->rows.count; i++) {
        const struct sum *sum = sums_at(sums, i);
        uint64_t samples = sum->value[0] - hprof_marks_before(&o->marks, kind, i);
        if (t.rows && samples > 0)
            t.rows[t.count++] =
                (struct event){.kind = kind, .trace = sum->trace, .value = {samples}};
        t.total += samples;
    }
    o->ops->table(o, &t);
    free(t.rows);
}

void hprof_out_next_samples(struct hprof_out *o)
{
    enum kind_id kind = kind_of_text(KIND_TEXT_SAMPLES);
    hprof_marks_set_before(&o->marks, kind, tally_sums(o->tally, kind));
}
