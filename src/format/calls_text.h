/*
 * calls_text.h - trees of calls as text for people: what the formats `calls` and `callers` share.
 *
 * The largest comes first, what is small is left out, and a line goes further in only where calls
 * part: of what is called by one caller alone each is below the other. Layout:
 * docs/format/calls.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct event;
struct format_out;

/** Errors: 0, -ENOMEM. */
int calls_text_begin(struct format_out *o);
/** Adds the event's stack without its thread; `is_reversed`: from the innermost frame outwards, and
 * without its class or text. Errors: 0, -ENOMEM. */
int calls_text_add(struct format_out *o, const struct event *event, bool is_reversed);
/** Writes the tree below a line that begins with `title`; `with_self`: how much of a node is in no
 * other has a column. Errors: 0, -ENOMEM. */
int calls_text_end(struct format_out *o, const char *title, bool with_self);
