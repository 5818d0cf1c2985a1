/*
 * report_histo.c - see report_histo.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_histo.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "report/report_how.h"
#include "report/report_rank.h"
#include "report/report_text.h"
#include "command/say.h"
#include "profile/profile.h"
#include "profile/sums.h"

enum { BYTES, OBJECTS }; /* the values of all kinds with this layout */

static int print_rows(const struct report_how *r, struct profile *profile, const struct sums *sums,
                      const char *title)
{
    uint32_t count = sums->rows.count;
    const struct sum **rows = report_rank(profile, sums, BYTES);
    if (!rows)
        return -ENOMEM;
    fprintf(r->out, "\n%s\n%12s %7s %12s  %s\n", title, "bytes", "share", "objects", "class");
    for (uint32_t i = 0; i < count && i < r->top; i++) {
        fprintf(r->out, "%12" PRIu64 " %6.2f%% %12" PRIu64 "  ", rows[i]->value[BYTES],
                report_text_percent(rows[i]->value[BYTES], sums_whole(sums)),
                rows[i]->value[OBJECTS]);
        say_clean(r->out, report_text_of(profile, profile_class_at(profile, rows[i]->klass)->name));
        putc('\n', r->out);
    }
    free(rows);
    return 0;
}

/* The next kind after `kind` that has this layout and a table in the profile; KIND_COUNT: none. */
static int next_kind(struct profile *profile, int kind)
{
    do
        kind++;
    while (kind < KIND_COUNT && (kind_all[kind]->report.layout != KIND_REPORT_CLASSES ||
                                 profile_sums(profile, kind)->tables == 0));
    return kind;
}

void report_histo_head(const struct report_how *r, struct profile *profile)
{
    for (int kind = next_kind(profile, -1); kind < KIND_COUNT; kind = next_kind(profile, kind))
        fprintf(r->out, "  a histogram of %s in the heap, %" PRIu64 " bytes\n",
                kind_all[kind]->report.head, sums_whole(profile_sums(profile, kind)));
}

int report_histo(const struct report_how *r, struct profile *profile)
{
    int error = 0;
    for (int kind = next_kind(profile, -1); kind < KIND_COUNT && !error;
         kind = next_kind(profile, kind))
        error = print_rows(r, profile, profile_sums(profile, kind), kind_all[kind]->report.of);
    return error;
}
