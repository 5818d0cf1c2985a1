/*
 * hprof_out.c - what the two HPROF writers share: see hprof_out.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_out.h"

void hprof_out_init(struct hprof_out *o, const struct hprof_out_ops *ops, struct sink *sink,
                    struct profile *profile, const struct hprof_out_config *config)
{
    *o = (struct hprof_out){.ops = ops, .sink = sink, .profile = profile, .config = *config};
}

int hprof_out_is_below_cutoff(uint64_t ticks, uint64_t total, double cutoff)
{
    return ticks == 0 || (double)ticks / (double)total < cutoff;
}
