/*
 * hprof_save.h - writes a whole profile as an HPROF file, for format_hprof_text.c and
 * format_hprof_binary.c.
 *
 * The functions of the agent's writers write the tables. The rows come as events and are kept until
 * the end, because threads, traces and the head of the file come first.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct event;
struct format_out;
struct hprof_out_ops;

/** The functions of struct format, with the same errors. `ops` are the functions of the text or the
 * binary form. */
int hprof_save_begin(struct format_out *o, const struct hprof_out_ops *ops);
int hprof_save_event(struct format_out *o, const struct event *event);
int hprof_save_end(struct format_out *o);
