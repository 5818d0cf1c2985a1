/*
 * options_perf.h - the options of samples by an event of the kernel or the processor (event=cycles,
 * event=page-faults, perf=COUNT).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "base/perf_attr.h"
#include "options/options_group.h"

struct options_perf {
    char event[PERF_ATTR_NAME]; /* its name, in perf's spelling; "": none was asked for */
    int interval;               /* events from sample to sample; 0: as the event's row says */
};

extern const struct options_group options_perf;

/** The options of samples by such an event. Context: any. */
static inline const struct options_perf *options_perf_of(const struct options *o)
{
    return options_group_own(o, &options_perf);
}
