/*
 * format_callers.c - the callers of each method as text: the methods sorted by their own share, and
 * below each method its callers. Written only. Layout: docs/format/calls.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/calls_text.h"
#include "format/format.h"

static int add(struct writer_out *o, const struct event *event)
{
    return calls_text_add(o, event, true);
}

static int end(struct writer_out *o)
{
    return calls_text_end(o, "callers", false);
}

static const struct writer writer = {
    .abilities = WRITER_PICTURE,
    .begin = calls_text_begin,
    .event = add,
    .end = end,
};

const struct format format_callers = {
    .name = "callers",
    .help = "callers of each method as text, innermost first",
    .suffixes = ".callers.txt",
    .writer = &writer,
};
