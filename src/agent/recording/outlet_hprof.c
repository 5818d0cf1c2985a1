/*
 * outlet_hprof.c - format=a and format=b: a recording as an HPROF file.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/recording/outlet.h"
#include "agent/budget.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "format/hprof_out.h"
#include "options/options_group.h"
#include "safe/clock.h"

static bool is_wanted(const struct options *o)
{
    return o->format == 'a' || o->format == 'b';
}

static int create(struct agent *a, struct recording *r, struct writer_out *ret)
{
    int error;
    ret->writer = r->options.format == 'b' ? &hprof_bin_out : &hprof_text_out;
    error = hprof_out_new(ret);
    if (error)
        log_error("no memory for the profile file");
    return error;
}

static void ready(struct recording *r, struct writer_out *o, bool has_large_heap)
{
    const struct options *options = &r->options;
    unsigned marks = options_group_marks(options);
    const struct hprof_out_config config = {
        .created_ms = (int64_t)(clock_ns(CLOCK_REALTIME) / NS_PER_MS),
        .depth = (uint32_t)options->depth,
        .print_lines = options->lineno,
        .print_threads = options->thread,
        .names_threads = (marks & OPTIONS_MARK_OBJECTS) != 0,
        .cpu_samples = (marks & OPTIONS_MARK_SAMPLES) != 0,
        .all_traces = (marks & OPTIONS_MARK_ALL_TRACES) != 0,
        .is_old = (marks & OPTIONS_MARK_OLD) != 0,
        .heap = (marks & OPTIONS_MARK_HEAP) != 0,
        .is_plain = (marks & OPTIONS_MARK_PLAIN) != 0,
        .renames = (marks & OPTIONS_MARK_RENAMED) != 0,
        .many_counts = options_group_count(options, OPTIONS_MARK_COUNTS) > 1,
        .id_bytes =
            marks & OPTIONS_MARK_OBJECTS ? (uint32_t)options_id_bytes(options, has_large_heap) : 4,
        .large_heap = has_large_heap,
        .is_stream = !r->output.is_ours,
        .marks_bytes = budget_bytes(options->mem_bytes, BUDGET_MARKS),
    };
    hprof_out_set_up(o, &config);
}

const struct outlet outlet_hprof = {
    .name = "hprof",
    .is_wanted = is_wanted,
    .create = create,
    .ready = ready,
};

struct hprof_out *outlet_hprof_of(const struct recording *r)
{
    return r->outlet == &outlet_hprof ? r->out.state : NULL;
}
