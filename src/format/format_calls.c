/*
 * format_calls.c - the tree of calls as text: callers and their callees, from the outermost call
 * inwards. Written only. Layout: docs/format/calls.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/calls_text.h"
#include "format/format.h"

static int add(struct format_out *o, const struct event *event)
{
    return calls_text_add(o, event, false);
}

static int end(struct format_out *o)
{
    return calls_text_end(o, "call tree", true);
}

const struct format format_calls = {
    .name = "calls",
    .help = "tree of calls as text, from the outermost call",
    .suffixes = ".calls.txt",
    .is_picture = true,
    .begin = calls_text_begin,
    .event = add,
    .end = end,
};
