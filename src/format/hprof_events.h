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
#include "profile/event.h"

struct hprof_out;
struct hprof_out_table;

/** The beginning of the first line of every EVENTS table; the word of the kind follows. */
#define HPROF_EVENTS_HEAD "EVENTS "

/** Called by hprof_text_table(): sorts the rows, writes their TRACEs and the table. Context:
 * any. */
void hprof_events_text(struct hprof_out *o, struct hprof_out_table *t);
/**
 * Write the table of all sums that the model has of a kind, if the format has a table for this
 * kind. Errors: 0; -ENOMEM: nothing was written. The sink keeps its own error. Context: any.
 */
int hprof_events_put(struct hprof_out *o, enum kind_id kind);
