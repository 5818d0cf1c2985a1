/*
 * report_histo.c - see report_histo.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/report_histo.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli/report_how.h"
#include "cli/report_rank.h"
#include "cli/report_text.h"
#include "cli/say.h"
#include "profile/profile.h"
#include "profile/sums.h"

enum { BYTES, OBJECTS }; /* the values of both kinds */

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

/* What a file can have of them. */
static const struct {
    enum event_kind kind;
    const char *head, *title;
} tables[] = {
    {EVENT_HISTO, "all objects", "the heap by class"},
    {EVENT_LIVE_HISTO, "objects that could be reached",
     "what could be reached in the heap, by class"},
};

void report_histo_head(const struct report_how *r, struct profile *profile)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        const struct sums *sums = profile_sums(profile, tables[i].kind);
        if (sums->tables > 0)
            fprintf(r->out, "  a histogram of %s in the heap, %" PRIu64 " bytes\n", tables[i].head,
                    sums_whole(sums));
    }
}

int report_histo(const struct report_how *r, struct profile *profile)
{
    int error = 0;
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && !error; i++) {
        const struct sums *sums = profile_sums(profile, tables[i].kind);
        if (sums->tables > 0)
            error = print_rows(r, profile, sums, tables[i].title);
    }
    return error;
}
