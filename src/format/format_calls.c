/*
 * format_calls.c - the tree of calls as text: callers and their callees, from the outermost call
 * inwards. Written only. Layout: docs/format/calls.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/calls_text.h"
#include "format/format.h"

static int add(struct writer_out *o, const struct event *event)
{
    return calls_text_add(o, event, false);
}

static int end(struct writer_out *o)
{
    return calls_text_end(o, "call tree", true);
}

static const struct writer writer = {
    .abilities = WRITER_PICTURE,
    .begin = calls_text_begin,
    .event = add,
    .end = end,
};

const struct format format_calls = {
    .name = "calls",
    .help = "tree of calls as text, from the outermost call",
    .suffixes = ".calls.txt",
    .writer = &writer,
};
