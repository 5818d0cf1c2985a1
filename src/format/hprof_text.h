/*
 * hprof_text.h - the tables of the text form: SITES, HISTOGRAM, EVENTS, CPU SAMPLES, CPU TIME,
 * MONITOR TIME, MONITOR DUMP, and the table of cpu=old.
 *
 * hprof_text_out.c has the rest of the file. Layouts: docs/format/hprof-text.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "profile/profile.h"

/* The beginning of the prologue line that names the program. */
#define HPROF_TEXT_PROGRAM "Program: "
/* The beginning of the first line of every EVENTS table; the word of the kind follows. */
#define HPROF_TEXT_EVENTS "EVENTS "

struct hprof_out;
struct sink;
struct writer_monitors;
struct writer_out;
struct writer_sites;
struct writer_table;
struct writer_wait;

/** Writes the time like ctime(), newline included. */
void hprof_text_date(struct sink *s, time_t when);
/** Writes a name; plain.h says which characters may be in a line. 0: nothing is written. */
void hprof_text_name(struct hprof_out *o, string_id id);
/** Writes "12.34" for 100 * part / whole into `text`, rounded like %.2f. `text` must have room for
 * it. */
void hprof_text_percent(char *text, size_t size, uint64_t part, uint64_t whole);
/** Writes all TRACE blocks that are not in the file yet. */
void hprof_text_traces(struct hprof_out *o);

/* Slots of struct writer. */

/** Writes any table except SITES. */
int hprof_text_table(struct writer_out *w, struct writer_table *t);
int hprof_text_sites(struct writer_out *w, struct writer_sites *t);
void hprof_text_wait(struct writer_out *w, const struct writer_wait *wait);
/** Also writes the TRACEs that are not in the file yet. */
void hprof_text_monitors(struct writer_out *w, const struct writer_monitors *dump);
