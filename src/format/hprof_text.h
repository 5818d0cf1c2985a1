/*
 * hprof_text.h - the parts that the tables of the text form have in common.
 *
 * Layouts: docs/format/hprof-text.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "profile/profile.h"

/* The beginning of the prologue line that names the program. */
#define HPROF_TEXT_PROGRAM "Program: "

struct hprof_out;
struct sink;

/** Writes the time like ctime(), newline included. */
void hprof_text_date(struct sink *s, time_t when);
/** Writes a name; plain.h says which characters may be in a line. 0: nothing is written. */
void hprof_text_name(struct hprof_out *o, string_id id);
/** Writes "12.34" for 100 * part / whole into `text`, rounded like %.2f. `text` must have room for
 * it. */
void hprof_text_percent(char *text, size_t size, uint64_t part, uint64_t whole);
/** Writes the first columns of a row: "rank self% accum%". The rank takes at least `width`
 * columns. */
void hprof_text_shares(struct sink *s, int width, uint32_t rank, uint64_t part, uint64_t accum,
                       uint64_t whole);
/** Writes CLASS.METHOD. */
void hprof_text_method(struct hprof_out *o, const struct profile_method *m);
/** Writes the TRACE block, if it is not in the file yet. */
void hprof_text_trace(struct hprof_out *o, trace_id id);
/** Writes all TRACE blocks that are not in the file yet. */
void hprof_text_traces(struct hprof_out *o);
