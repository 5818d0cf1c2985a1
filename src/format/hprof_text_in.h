/*
 * hprof_text_in.h - reads the tables of HPROF text; for the list of records in format_hprof_text.c.
 *
 * In each function `s` is the rest of the table's first line, behind the words by which the list
 * knows the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "format/textin.h"
#include "profile/event.h"

/* The beginning of a block of exact times. */
#define HPROF_TEXT_IN_EXACT "EXACT "
#define HPROF_TEXT_IN_OLD "count callee caller time"

/** The thread with this number; added if it is new. 0 for the number of no thread. */
thread_id hprof_text_in_thread(struct textin *t, uint32_t serial);
/** The trace of a row. If the file has no such TRACE, a trace with only `method`, or an empty one.
 * If the sieve does not let it pass, the folded trace (fold.h). */
trace_id hprof_text_in_trace(struct textin *t, uint32_t serial, struct textin_span method);

void hprof_text_in_samples(struct textin *t, enum kind_id kind, struct textin_span s);
void hprof_text_in_times(struct textin *t, enum kind_id kind, struct textin_span s);
/** Reads a block of exact times. */
void hprof_text_in_exact(struct textin *t, struct textin_span s);
void hprof_text_in_old(struct textin *t, struct textin_span s);
void hprof_text_in_monitors(struct textin *t, struct textin_span s);
void hprof_text_in_monitor_time(struct textin *t, enum kind_id kind, struct textin_span s);
void hprof_text_in_sites(struct textin *t, enum kind_id kind, struct textin_span s);
void hprof_text_in_histo(struct textin *t, enum kind_id kind, struct textin_span s);
/** `s` begins with the word of the kind. */
void hprof_text_in_events(struct textin *t, struct textin_span s);
