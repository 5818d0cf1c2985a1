/*
 * hprofout.h - HPROF files of a model, for tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdlib.h>
#include "format/hprof_out.h"

/** Prepare a file for writer_begin(); writer_end() frees. */
static inline void hprofout_open(struct writer_out *o, const struct writer *writer,
                                 struct sink *sink, struct profile *p,
                                 const struct hprof_out_config *config)
{
    *o = (struct writer_out){.writer = writer, .sink = sink, .profile = p};
    if (hprof_out_new(o) != 0)
        abort();
    hprof_out_set_up(o, config);
}

/** Write the table of the samples since writer_next(). */
static inline void hprofout_samples(struct writer_out *o, double cutoff)
{
    const struct writer_sums wanted = {.kind = KIND_SAMPLE, .cutoff = cutoff};
    if (writer_sums(o, &wanted) != 0)
        abort();
}
