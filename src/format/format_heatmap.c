/*
 * format_heatmap.c - a heat map over time as one HTML page, with the flame graph of any range of
 * it.
 *
 * Written only. Layout: docs/format/flamegraph.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/flame.h"
#include "format/format.h"

enum { CELLS_MOST = 8 << 20 }; /* two days in cells of 20 ms */

static int begin(struct writer_out *o)
{
    return flame_begin(o, CELLS_MOST, true);
}

static const struct writer writer = {
    .abilities = WRITER_PICTURE | WRITER_TIMES | WRITER_NEEDS_TIMES,
    .begin = begin,
    .event = flame_add,
    .moment = flame_add_moment,
    .end = flame_end,
};

const struct format format_heatmap = {
    .name = "heatmap",
    .help = "heat map over time with flame graphs: one HTML page",
    .suffixes = ".heatmap.html",
    .writer = &writer,
};
