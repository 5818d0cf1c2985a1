/*
 * hprof_sums.c - see hprof_sums.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_sums.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "format/hprof_out.h"
#include "format/writer_sites.h"
#include "profile/sums.h"
#include "profile/tally.h"

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

int hprof_sums_put(struct writer_out *o, const struct writer_sums *wanted)
{
    const struct hprof_out *out = o->state;
    const struct sums *sums = tally_sums(out->tally, wanted->kind);
    enum kind_text_layout layout = kind_all[wanted->kind]->text.layout;
    return layout == KIND_TEXT_SITES ? put_sites(o, wanted, sums)
                                     : put_rows(o, wanted, sums, layout == KIND_TEXT_SAMPLES);
}
