/*
 * report_sites.c - see report_sites.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_sites.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "report/report_how.h"
#include "report/report_rank.h"
#include "report/report_text.h"
#include "command/say.h"
#include "profile/quality.h"
#include "profile/sums.h"

enum { BYTES, OBJECTS, LIVE_BYTES, LIVE_OBJECTS }; /* indexes of the kind's values */

int report_sites(const struct report_how *r, struct profile *profile)
{
    enum kind_id kind = kind_of_report(KIND_REPORT_SITES);
    const struct sums *sums = profile_sums(profile, kind);
    uint32_t count;
    if (sums->tables == 0)
        return 0;
    /* If the file has only samples of allocations, it does not say which objects still live. */
    bool is_by_live = sums->total[LIVE_BYTES] > 0;
    const struct sum **sites =
        report_rank_shown(r, profile, kind, is_by_live ? LIVE_BYTES : BYTES, &count);

    if (!sites)
        return -ENOMEM;
    fprintf(r->out, "\nallocation sites by %s bytes%s\n", is_by_live ? "live" : "made",
            quality_value(profile, QUALITY_SITES_SAMPLE) ? ", estimated from samples" : "");
    if (is_by_live)
        fprintf(r->out, "%12s %9s ", "live bytes", "objects");
    fprintf(r->out, "%12s %9s  class, and where it was made\n", "made bytes", "objects");
    for (uint32_t i = 0; i < count && i < r->top; i++) {
        const uint64_t *value = sites[i]->value;
        if (is_by_live)
            fprintf(r->out, "%12" PRIu64 " %9" PRIu64 " ", value[LIVE_BYTES], value[LIVE_OBJECTS]);
        fprintf(r->out, "%12" PRIu64 " %9" PRIu64 "  ", value[BYTES], value[OBJECTS]);
        say_clean(r->out,
                  report_text_of(profile, profile_class_at(profile, sites[i]->klass)->name));
        putc('\n', r->out);
        report_text_stack(r, profile, sites[i]->trace, i < r->traces ? UINT32_MAX : 1);
    }
    free(sites);
    return 0;
}
