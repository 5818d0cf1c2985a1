/*
 * format_flamegraph.c - a flame graph as one HTML page that needs no network.
 *
 * Written only. Layout: docs/format/flamegraph.md. SPDX-License-Identifier: Apache-2.0
 */
#include "format/flame.h"
#include "format/format.h"

enum { CELLS_MOST = 1000 }; /* enough to choose a range of time */

static int begin(struct writer_out *o)
{
    return flame_begin(o, CELLS_MOST, false);
}

static const struct writer writer = {
    .abilities = WRITER_PICTURE | WRITER_TIMES | WRITER_COMPARES,
    .begin = begin,
    .event = flame_add,
    .moment = flame_add_moment,
    .end = flame_end,
};

const struct format format_flamegraph = {
    .name = "flamegraph",
    .help = "flame graph: one HTML page for any browser",
    .suffixes = ".html .htm",
    .writer = &writer,
};
