/*
 * calls_text.h - trees of calls as text for people: what the formats `calls` and `callers` share.
 *
 * The largest node comes first, and small nodes are left out. A line is indented further than the
 * line above only if its node has siblings that are shown. A chain of calls with one callee each
 * stays in one column. Layout: docs/format/calls.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct event;
struct writer_out;

/** Begin a tree. Errors: 0, -ENOMEM. */
int calls_text_begin(struct writer_out *o);
/** Adds the event's stack without its thread. `is_reversed`: the stack goes into the tree from the
 * innermost frame outwards, and without its class or text. Errors: 0, -ENOMEM. */
int calls_text_add(struct writer_out *o, const struct event *event, bool is_reversed);
/** Writes the tree below a line that begins with `title`. `with_self`: one column shows the part of
 * a node's value that is in none of its callees. Errors: 0, -ENOMEM. */
int calls_text_end(struct writer_out *o, const char *title, bool with_self);
