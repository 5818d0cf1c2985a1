/*
 * hprof_events.h - the table EVENTS of the text form: the sums of one kind of event, of any kind.
 *
 * For kinds that the original agent did not know; what it had has tables of its own. A table stands
 * for all since the start: the last one of its kind holds. Layout: docs/format/hprof-text.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/event.h"

struct hprof_out;
struct hprof_out_table;

/** How the tables of all kinds begin; the kind's word follows. */
#define HPROF_EVENTS_HEAD "EVENTS "

/** For hprof_text_table(): sorts the rows, and writes their TRACEs and the table. Context: any. */
void hprof_events_text(struct hprof_out *o, struct hprof_out_table *t);
/**
 * Write the table of all that the model has of a kind, where the format has one for it.
 * Errors: 0; -ENOMEM, then nothing was written; the sink keeps its own. Context: any.
 */
int hprof_events_put(struct hprof_out *o, enum kind_id kind);
