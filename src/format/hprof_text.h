/*
 * hprof_text.h - the pieces that the tables of the text form have in common.
 *
 * Layouts: docs/format/hprof-text.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "profile/profile.h"

/* Begins the line of the prologue that names the program. */
#define HPROF_TEXT_PROGRAM "Program: "

struct hprof_out;
struct sink;

/** As ctime() writes it, newline included. */
void hprof_text_date(struct sink *s, time_t when);
/** A name, as plain.h lets it into a line. 0: nothing. */
void hprof_text_name(struct hprof_out *o, string_id id);
/** "12.34" for 100 * part / whole, as %.2f rounds it; `text` has room for it. */
void hprof_text_percent(char *text, size_t size, uint64_t part, uint64_t whole);
/** The columns that a row begins with: "rank self% accum%", the rank at least `width` wide. */
void hprof_text_shares(struct sink *s, int width, uint32_t rank, uint64_t part, uint64_t accum,
                       uint64_t whole);
/** CLASS.METHOD */
void hprof_text_method(struct hprof_out *o, const struct profile_method *m);
/** The TRACE block, if it is not in the file yet. */
void hprof_text_trace(struct hprof_out *o, trace_id id);
