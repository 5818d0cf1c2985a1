/*
 * hprof_text_histo.c - see hprof_text_histo.h.
 *
 * The table has no traces. Otherwise its rows look like those of the other tables:
 * docs/format/hprof-text.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_text_histo.h"
#include <inttypes.h>
#include <time.h>
#include "base/sink.h"
#include "format/hprof_out.h"
#include "format/hprof_text.h"

enum { BYTES, OBJECTS }; /* the values of both kinds */

static void put_row(struct hprof_out *o, uint32_t rank, const struct event *row, uint64_t accum,
                    uint64_t total)
{
    hprof_text_shares(o->sink, 5, rank, row->value[BYTES], accum, total);
    sink_printf(o->sink, " %12" PRIu64 " %10" PRIu64 " ", row->value[BYTES], row->value[OBJECTS]);
    if (row->klass)
        hprof_text_name(o, profile_class_at(o->profile, row->klass)->name);
    else
        sink_text(o->sink, "<classes that were not listed>");
    sink_text(o->sink, "\n");
}

void hprof_text_histo(struct hprof_out *o, const struct writer_table *t)
{
    const char *title = kind_all[t->kind]->text.title;
    uint64_t accum = 0;
    sink_printf(o->sink, "%s BEGIN (total = %" PRIu64 " bytes) ", title, t->total);
    hprof_text_date(o->sink, time(NULL));
    sink_text(o->sink, "          percent                            class\n"
                       " rank   self  accum        bytes    objects name\n");
    for (uint32_t i = 0; i < t->shown; i++) {
        accum += t->rows[i].value[BYTES];
        put_row(o, i + 1, &t->rows[i], accum, t->total);
    }
    sink_printf(o->sink, "%s END\n", title);
}
