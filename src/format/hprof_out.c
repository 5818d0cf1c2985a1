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
    *o = (struct hprof_out){.ops = ops, .sink = sink, .profile = profile, .config = *config};
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

int hprof_out_is_below_cutoff(uint64_t ticks, uint64_t total, double cutoff)
{
    return ticks == 0 || (double)ticks / (double)total < cutoff;
}

/* The trace's number breaks ties: the order of the file. */
static int by_cost(const void *left, const void *right)
{
    const struct hprof_out_row *l = left, *r = right;

    if (l->cost != r->cost)
        return l->cost > r->cost ? -1 : 1;
    if (l->count != r->count)
        return l->count > r->count ? -1 : 1;
    return l->trace < r->trace ? -1 : l->trace > r->trace;
}

uint32_t hprof_out_rank(const struct hprof_out *o, struct hprof_out_row *rows, uint32_t count,
                        uint64_t total)
{
    uint32_t shown = 0;

    qsort(rows, count, sizeof(*rows), by_cost);
    while (shown < count && !(rows[shown].cost == 0 && rows[shown].count == 0) &&
           !(total > 0 && (double)rows[shown].cost / (double)total < o->config.cutoff))
        shown++;
    return shown;
}

uint32_t hprof_out_samples(struct hprof_out *o, struct hprof_out_row **ret_rows,
                           uint64_t *ret_total)
{
    const struct sums *sums = profile_sums(o->profile, EVENT_SAMPLE);
    struct hprof_out_row *rows =
        sums->rows.count > 0 ? malloc(sums->rows.count * sizeof(*rows)) : NULL;
    uint32_t count = 0;

    *ret_rows = rows;
    *ret_total = 0;
    for (uint32_t i = 1; i <= sums->rows.count; i++) {
        const struct sum *sum = sums_at(sums, i);
        uint64_t samples = sum->value[0] - hprof_marks_before(&o->marks, EVENT_SAMPLE, i);

        if (rows && samples > 0)
            rows[count++] =
                (struct hprof_out_row){.trace = sum->trace, .cost = samples, .count = samples};
        *ret_total += samples;
    }
    return rows ? hprof_out_rank(o, rows, count, *ret_total) : 0;
}

void hprof_out_next_samples(struct hprof_out *o)
{
    hprof_marks_set_before(&o->marks, EVENT_SAMPLE, profile_sums(o->profile, EVENT_SAMPLE));
}
