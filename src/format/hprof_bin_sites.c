/*
 * hprof_bin_sites.c - ALLOC SITES and HEAP SUMMARY of the binary form.
 *
 * Counts of sites have 32 bits in these records; a larger count becomes the largest number. The
 * quality count `saturated` says for how many counts this was done. The true counts stand in
 * strings before the table. See docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_bin_sites.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/sink.h"
#include "format/hprof_bin.h"
#include "format/hprof_out.h"
#include "format/hprof_serial.h"
#include "format/hprof_sites.h"

enum {
    SITES_BYTES = 2 + 4 + 4 + 4 + 8 + 8 + 4, /* bytes before the rows */
    ROW_BYTES = 1 + 6 * 4,
    SUMMARY_BYTES = 4 + 4 + 8 + 8,
};

static void put_capped(struct hprof_out *o, uint64_t v)
{
    if (v > UINT32_MAX) {
        o->saturated++;
        v = UINT32_MAX;
    }
    sink_u4(o->sink, (uint32_t)v);
}

static void put_total(struct hprof_out *o, const uint64_t *total)
{
    put_capped(o, total[WRITER_SITES_LIVE_BYTES]);
    put_capped(o, total[WRITER_SITES_LIVE_OBJECTS]);
    sink_u8(o->sink, total[WRITER_SITES_BYTES]);
    sink_u8(o->sink, total[WRITER_SITES_OBJECTS]);
}

static void put_row(struct hprof_out *o, const struct event *s)
{
    sink_u1(o->sink, hprof_sites_kind(o, s->klass));
    sink_u4(o->sink, hprof_serial_class(o->profile, s->klass));
    sink_u4(o->sink, hprof_serial_trace(o->profile, s->trace));
    put_capped(o, s->value[WRITER_SITES_LIVE_BYTES]);
    put_capped(o, s->value[WRITER_SITES_LIVE_OBJECTS]);
    put_capped(o, s->value[WRITER_SITES_BYTES]);
    put_capped(o, s->value[WRITER_SITES_OBJECTS]);
}

/* Writes the numbers of a row in the order of its fields, if not all of them fit into the row. */
static void put_large(struct hprof_out *o, const struct event *s)
{
    char text[sizeof(HPROF_BIN_SITE) + 6ul * 21];
    int len;
    if (s->value[0] <= UINT32_MAX && s->value[1] <= UINT32_MAX && s->value[2] <= UINT32_MAX &&
        s->value[3] <= UINT32_MAX)
        return;
    len = snprintf(
        text, sizeof(text),
        HPROF_BIN_SITE "%" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
        hprof_serial_class(o->profile, s->klass), hprof_serial_trace(o->profile, s->trace),
        s->value[WRITER_SITES_LIVE_BYTES], s->value[WRITER_SITES_LIVE_OBJECTS],
        s->value[WRITER_SITES_BYTES], s->value[WRITER_SITES_OBJECTS]);
    hprof_bin_note(o, text, (size_t)len);
}

int hprof_bin_sites(struct writer_out *w, struct writer_sites *t)
{
    struct hprof_out *o = w->state;
    uint32_t rows = hprof_sites_rank(t);
    float cutoff = (float)t->cutoff;
    uint32_t bits;
    memcpy(&bits, &cutoff, sizeof(bits));
    writer_traces(w);
    for (uint32_t i = 0; i < rows; i++)
        put_large(o, &t->rows[i].site);
    for (uint32_t i = 0; i < rows; i++)
        hprof_bin_class(o, t->rows[i].site.klass);
    hprof_bin_head(o, HPROF_BIN_ALLOC_SITES, SITES_BYTES + rows * ROW_BYTES);
    sink_u2(o->sink, (uint16_t)t->flags);
    sink_u4(o->sink, bits);
    put_total(o, t->total);
    sink_u4(o->sink, rows);
    for (uint32_t i = 0; i < rows; i++)
        put_row(o, &t->rows[i].site);
    w->saturated = o->saturated;
    return 0;
}

void hprof_bin_sites_summary(struct writer_out *w, const uint64_t total[KIND_VALUES])
{
    struct hprof_out *o = w->state;
    hprof_bin_head(o, HPROF_BIN_HEAP_SUMMARY, SUMMARY_BYTES);
    put_total(o, total);
    w->saturated = o->saturated;
}
