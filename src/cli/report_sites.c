/*
 * report_sites.c - see report_sites.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/report_sites.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli/quality.h"
#include "cli/report.h"
#include "cli/report_text.h"
#include "cli/say.h"

static int by_live_bytes(const void *left, const void *right)
{
    const struct profile_site *const *x = left, *const *y = right;

    return (*x)->live_bytes > (*y)->live_bytes ? -1 : (*x)->live_bytes < (*y)->live_bytes;
}

int report_sites(const struct report *r, struct profile *profile)
{
    uint32_t count = profile_site_count(profile);
    const struct profile_site **sites = malloc((count + 1) * sizeof(void *));

    if (sites == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        sites[i] = profile_site_at(profile, i + 1);
    qsort(sites, count, sizeof(void *), by_live_bytes);
    fprintf(r->out, "\nallocation sites by live bytes%s\n%12s %9s %12s %9s  %s\n",
            quality_value(profile, "sites_sample") ? ", estimated from samples" : "", "live bytes",
            "objects", "made bytes", "objects", "class, and where it was made");
    for (uint32_t i = 0; i < count && i < r->top; i++) {
        fprintf(r->out, "%12" PRIu64 " %9" PRIu64 " %12" PRIu64 " %9" PRIu64 "  ",
                sites[i]->live_bytes, sites[i]->live_objects, sites[i]->alloc_bytes,
                sites[i]->alloc_objects);
        say_clean(r->out,
                  report_text_of(profile, profile_class_at(profile, sites[i]->klass)->name));
        putc('\n', r->out);
        report_text_stack(r, profile, sites[i]->trace, i < r->traces ? UINT32_MAX : 1);
    }
    free(sites);
    return 0;
}
