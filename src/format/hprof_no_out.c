/*
 * hprof_no_out.c - writes no HPROF file: for a recording that has other outputs only.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include "format/hprof_out.h"

static void nothing(struct hprof_out *o)
{
}

static void no_class(struct hprof_out *o, class_id klass, uint64_t object)
{
}

static void no_thread(struct hprof_out *o, thread_id thread)
{
}

/* Another output that takes the rows gets them in the order of a file. */
static void no_table(struct hprof_out *o, struct hprof_out_table *t)
{
    (void)hprof_out_rank(o, t);
}

static void no_sites(struct hprof_out *o, struct hprof_sites *t)
{
}

static void no_summary(struct hprof_out *o, const uint64_t total[KIND_VALUES])
{
}

const struct hprof_out_ops hprof_no_out = {
    .name = "none",
    .kinds = UINT32_MAX,
    .begin = nothing,
    .load_class = no_class,
    .start_thread = no_thread,
    .end_thread = no_thread,
    .table = no_table,
    .traces = nothing,
    .sites = no_sites,
    .heap_summary = no_summary,
    .quality = nothing,
};
