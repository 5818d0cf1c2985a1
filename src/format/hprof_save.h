/*
 * hprof_save.h - a whole profile as an HPROF file: the write direction of format_hprof_text.c and
 * format_hprof_binary.c.
 *
 * The tables are those of the agent's writers. Rows come as events and are kept until the end,
 * since threads, traces and the head of the file come first. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct event;
struct format_out;
struct hprof_out_ops;

/** The functions of a format; errors as there. `ops` is how the form is written. */
int hprof_save_begin(struct format_out *o, const struct hprof_out_ops *ops);
int hprof_save_event(struct format_out *o, const struct event *event);
int hprof_save_end(struct format_out *o);
