/*
 * hprof_events.h - the table EVENTS of the text form: the sums of the events of one kind, which may
 * be any kind.
 *
 * It is for kinds that the original agent did not know; the kinds of the original agent have tables
 * of their own. A table holds the sums since the start, so the last table of a kind is valid.
 * Layout: docs/format/hprof-text.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct hprof_out;
struct writer_table;

/** The beginning of the first line of every EVENTS table; the word of the kind follows. */
#define HPROF_EVENTS_HEAD "EVENTS "

/** Called by hprof_text_table(): writes the TRACEs of the rows, and the table. Context: any. */
void hprof_events_text(struct hprof_out *o, const struct writer_table *t);
