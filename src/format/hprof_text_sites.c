/*
 * hprof_text_sites.c - the SITES table of the text form, in the layout of the original agent.
 *
 * A sampled table is followed by a table of standard errors, whose rows have the ranks of the first
 * table. See docs/format/hprof-text.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_text_sites.h"
#include <inttypes.h>
#include <stdio.h>
#include "base/sink.h"
#include "format/hprof_out.h"
#include "format/hprof_serial.h"
#include "format/hprof_sites.h"
#include "format/hprof_text.h"

static void put_row(struct hprof_out *o, const struct writer_sites *t, uint32_t rank,
                    const struct event *s, uint64_t *accum)
{
    uint32_t by = hprof_sites_ranked_by(t);
    *accum += s->value[by];
    hprof_text_shares(o->sink, 5, rank, s->value[by], *accum, t->total[by]);
    sink_printf(o->sink, " %9" PRIu64 " %4" PRIu64 " %9" PRIu64 " %5" PRIu64 " %5" PRIu32 " ",
                s->value[WRITER_SITES_LIVE_BYTES], s->value[WRITER_SITES_LIVE_OBJECTS],
                s->value[WRITER_SITES_BYTES], s->value[WRITER_SITES_OBJECTS],
                hprof_serial_trace(o->profile, s->trace));
    hprof_text_name(o, profile_class_at(o->profile, s->klass)->name);
    sink_text(o->sink, "\n");
}

static void put_errors(struct hprof_out *o, const char *rank, const struct writer_sites_errors *e)
{
    sink_printf(o->sink, "%5s %14.0f %9.0f %14.0f %9.0f\n", rank, e->value[WRITER_SITES_LIVE_BYTES],
                e->value[WRITER_SITES_LIVE_OBJECTS], e->value[WRITER_SITES_BYTES],
                e->value[WRITER_SITES_OBJECTS]);
}

/* Standard errors: in 19 of 20 cases the true number is at most two of them away. */
static void put_error_table(struct hprof_out *o, const struct writer_sites *t, uint32_t rows)
{
    sink_printf(o->sink, "SITES ERRORS BEGIN (one standard error, sample = %" PRIu64 ")\n",
                t->interval);
    sink_text(o->sink, " rank     live bytes      objs   alloc'ed bytes      objs\n");
    for (uint32_t i = 0; i < rows; i++) {
        char rank[16];
        snprintf(rank, sizeof(rank), "%" PRIu32, i + 1);
        put_errors(o, rank, &t->rows[i].errors);
    }
    put_errors(o, "all", &t->total_errors);
    sink_text(o->sink, "SITES ERRORS END\n");
}

int hprof_text_sites(struct writer_out *w, struct writer_sites *t)
{
    struct hprof_out *o = w->state;
    uint32_t rows = hprof_sites_rank(t);
    uint64_t accum = 0;
    hprof_text_traces(o);
    sink_printf(o->sink, "SITES BEGIN (ordered by %s bytes) ",
                t->flags & WRITER_SITES_BY_ALLOCATED ? "allocated" : "live");
    hprof_text_date(o->sink, time(NULL));
    sink_text(o->sink, "          percent          live          alloc'ed  stack class\n"
                       " rank   self  accum     bytes objs     bytes  objs trace name\n");
    for (uint32_t i = 0; i < rows; i++)
        put_row(o, t, i + 1, &t->rows[i].site, &accum);
    sink_text(o->sink, "SITES END\n");
    if (t->interval)
        put_error_table(o, t, rows);
    return 0;
}
