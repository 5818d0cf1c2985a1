/*
 * hprof_out.c - what the two HPROF writers share: see hprof_out.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_out.h"
#include <stdlib.h>

void hprof_out_init(struct hprof_out *o, const struct hprof_out_ops *ops, struct sink *sink,
                    struct profile *profile, const struct hprof_out_config *config)
{
    *o = (struct hprof_out){.ops = ops, .sink = sink, .profile = profile, .config = *config};
    if (o->config.id_bytes == 0)
        o->config.id_bytes = 4;
}

void hprof_out_again(struct hprof_out *o)
{
    struct profile *p = o->profile;

    for (string_id id = 1; id <= profile_string_count(p); id++)
        profile_string_at(p, id)->mark = 0;
    for (frame_id id = 1; id <= profile_frame_count(p); id++)
        profile_frame_at(p, id)->mark = 0;
    for (trace_id id = 1; id <= profile_trace_count(p); id++)
        profile_trace_at(p, id)->mark = 0;
    for (class_id id = 1; id <= profile_class_count(p); id++) {
        struct profile_class *c = profile_class_at(p, id);
        uint64_t object = c->mark;
        c->mark = 0;
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
    trace_id *traces = NULL;
    int count = profile_rank(o->profile, &traces);
    struct hprof_out_row *rows = count > 0 ? malloc((size_t)count * sizeof(*rows)) : NULL;
    uint32_t shown = 0;

    *ret_total = profile_ticks(o->profile);
    for (int i = 0; rows && i < count; i++) {
        uint64_t ticks = profile_trace_at(o->profile, traces[i])->ticks;

        rows[i] = (struct hprof_out_row){.trace = traces[i], .cost = ticks, .count = ticks};
    }
    if (rows)
        shown = hprof_out_rank(o, rows, (uint32_t)count, *ret_total);
    free(traces);
    *ret_rows = rows;
    return shown;
}
