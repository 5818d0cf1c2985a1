/*
 * heapdump_sites.c - see heapdump.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/heapdump/heapdump.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/alloc/alloc_table.h"
#include "agent/recording/recording.h"
#include "format/hprof_serial.h"

/* The serial of a site's trace in the dump. If there is no memory for a new trace, the site keeps
 * its trace. */
static uint32_t serial_of(struct heapdump *d, const struct alloc_row *row)
{
    bool is_cut;
    trace_id trace = recording_trace(d->agent, d->recording, row->trace, &is_cut);
    return trace ? hprof_serial_trace(d->agent->profile, trace) : row->trace_serial;
}

int heapdump_sites_take(struct heapdump *d)
{
    const struct options *own = &d->recording->options, *all = &d->agent->options;
    const struct alloc_table *table = alloc_table();
    uint32_t count = atomic_load(&table->row_count);
    heapdump_sites_done(d);
    if (own->depth >= all->depth && own->thread == all->thread)
        return 0;
    d->sites.serials = calloc((size_t)count + 1, sizeof(*d->sites.serials));
    if (!d->sites.serials)
        return -ENOMEM;
    d->sites.count = count + 1;
    d->sites.serials[0] = alloc_trace_serial(0);
    for (uint32_t i = 1; i <= count; i++)
        d->sites.serials[i] = serial_of(d, &table->rows[i]);
    return 0;
}

void heapdump_sites_done(struct heapdump *d)
{
    free(d->sites.serials);
    d->sites = (struct heapdump_sites){0};
}

uint32_t heapdump_sites_trace(const void *arg, uint32_t site)
{
    const struct heapdump *d = arg;
    return site < d->sites.count ? d->sites.serials[site] : alloc_trace_serial(site);
}
