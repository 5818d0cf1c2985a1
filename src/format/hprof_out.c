/*
 * hprof_out.c - what the two HPROF writers share: see hprof_out.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_out.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "format/heap_record.h"
#include "format/hprof_heap.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "profile/tally.h"

int hprof_out_new(struct writer_out *o)
{
    o->state = calloc(1, sizeof(struct hprof_out));
    return o->state ? 0 : -ENOMEM;
}

void hprof_out_set_up(struct writer_out *o, const struct hprof_out_config *config)
{
    struct hprof_out *out = o->state;
    out->sink = o->sink;
    out->profile = o->profile;
    out->tally = o->tally ? o->tally : profile_tally(o->profile);
    out->config = *config;
    if (out->config.id_bytes == 0)
        out->config.id_bytes = 4;
    row_marks_init(&out->marks, config->marks_bytes);
    o->marks = &out->marks;
}

int hprof_out_end(struct writer_out *o)
{
    struct hprof_out *out = o->state;
    if (out)
        row_marks_done(&out->marks);
    free(out);
    o->state = NULL;
    o->marks = NULL;
    return 0;
}

void hprof_out_again(struct writer_out *o)
{
    struct profile *p = o->profile;
    row_marks_forget(o->marks);
    for (class_id id = 1; id <= profile_class_count(p); id++) {
        uint64_t object = row_marks_class(o->marks, id);
        row_marks_set_class(o->marks, id, 0);
        if (object != 0)
            writer_load_class(o, id, object);
    }
    for (thread_id id = 1; id <= profile_thread_count(p); id++) {
        if (!profile_thread_at(p, id)->ended)
            writer_thread(o, id, true);
    }
}

void hprof_out_next(struct writer_out *o, enum kind_id kind)
{
    const struct hprof_out *out = o->state;
    row_marks_set_before(o->marks, kind, tally_sums(out->tally, kind));
}

/* ---- tables of allocation sites */

static int compare(uint64_t left, uint64_t right)
{
    return left > right ? -1 : left < right;
}

/* Equal rows are ordered by trace and class, which is the order in which they were made. */
static int compare_ids(const struct event *x, const struct event *y)
{
    return x->trace != y->trace ? compare(y->trace, x->trace) : compare(y->klass, x->klass);
}

static int by_rank(const void *left, const void *right, void *index)
{
    const struct writer_sites_row *x = left, *y = right;
    uint32_t by = *(const uint32_t *)index;
    int order = compare(x->site.value[by], y->site.value[by]);
    return order ? order : compare_ids(&x->site, &y->site);
}

uint32_t hprof_out_sites_ranked_by(const struct writer_sites *t)
{
    return t->flags & WRITER_SITES_BY_ALLOCATED ? WRITER_SITES_BYTES : WRITER_SITES_LIVE_BYTES;
}

uint32_t hprof_out_sites_rank(struct writer_sites *t)
{
    uint32_t by = hprof_out_sites_ranked_by(t), rows = 0;
    uint64_t total = t->total[by];
    if (t->count > 0)
        qsort_r(t->rows, t->count, sizeof(*t->rows), by_rank, &by);
    while (rows < t->count &&
           (total > 0 ? (double)t->rows[rows].site.value[by] / (double)total : 0) >= t->cutoff)
        rows++;
    t->written = rows;
    return rows;
}

uint8_t hprof_out_sites_kind(const struct hprof_out *o, class_id klass)
{
    enum { OBJECT = 0, OBJECT_ARRAY = 2 };
    const struct profile_string *name =
        profile_string_at(o->profile, profile_class_at(o->profile, klass)->name);
    for (unsigned type = HPROF_BOOLEAN; type <= HPROF_LONG; type++)
        if (strcmp(name->bytes, heap_record_array_name(type)) == 0)
            return (uint8_t)type;
    return name->len > 2 && strcmp(name->bytes + name->len - 2, "[]") == 0 ? OBJECT_ARRAY : OBJECT;
}

/* ---- tables of the sums of a tally */

static int put_sites(struct writer_out *o, const struct writer_sums *wanted,
                     const struct sums *sums)
{
    bool by_live = wanted->ranked_by == WRITER_SITES_LIVE_BYTES;
    struct writer_sites t = {.count = sums->rows.count,
                             .flags = by_live ? 0 : WRITER_SITES_BY_ALLOCATED,
                             .cutoff = wanted->cutoff,
                             .rows = calloc(sums->rows.count + (size_t)1, sizeof(*t.rows))};
    if (!t.rows)
        return -ENOMEM;
    for (uint32_t i = 0; i < t.count; i++)
        t.rows[i].site = sums_event(wanted->kind, sums_at(sums, i + 1));
    memcpy(t.total, sums->total, sizeof(t.total));
    int error = writer_sites(o, &t);
    free(t.rows);
    return error;
}

/* `is_since`: only what was added since hprof_out_next(), and only rows that have any. */
static int put_rows(struct writer_out *o, const struct writer_sums *wanted, const struct sums *sums,
                    bool is_since)
{
    struct writer_table t = {.kind = wanted->kind,
                             .ranked_by = wanted->ranked_by,
                             .cutoff = wanted->cutoff,
                             .rows = calloc(sums->rows.count + (size_t)1, sizeof(*t.rows))};
    if (!t.rows)
        return -ENOMEM;
    for (uint32_t i = 1; i <= sums->rows.count; i++) {
        struct event *row = &t.rows[t.count];
        *row = sums_event(wanted->kind, sums_at(sums, i));
        if (is_since)
            row->value[0] -= row_marks_before(o->marks, wanted->kind, i);
        t.total += row->value[t.ranked_by];
        t.count += !is_since || row->value[0] > 0;
    }
    int error = writer_table(o, &t);
    free(t.rows);
    return error;
}

int hprof_out_sums(struct writer_out *o, const struct writer_sums *wanted)
{
    const struct hprof_out *out = o->state;
    const struct sums *sums = tally_sums(out->tally, wanted->kind);
    enum kind_text_layout layout = kind_all[wanted->kind]->text.layout;
    return layout == KIND_TEXT_SITES ? put_sites(o, wanted, sums)
                                     : put_rows(o, wanted, sums, layout == KIND_TEXT_SAMPLES);
}
