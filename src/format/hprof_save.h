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
struct writer;
struct writer_out;

/** Slots of struct writer, with the same errors. `form` is hprof_text_out or hprof_bin_out. */
int hprof_save_begin(struct writer_out *o, const struct writer *form);
int hprof_save_event(struct writer_out *o, const struct event *event);
int hprof_save_end(struct writer_out *o);
