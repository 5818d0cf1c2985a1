/*
 * report_text.h - the pieces of text that the tables of a report are made of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "profile/profile.h"

struct report_how;

double report_text_percent(uint64_t part, uint64_t whole);
/** The string's bytes, "" for 0. */
const char *report_text_of(struct profile *profile, string_id id);
/** "class.method", at most `columns` wide, 0: no limit; "?" when there is no memory for it. */
void report_text_name(FILE *out, const char *klass, const char *name, size_t columns);
/** "class, text": what a row is of besides its stack; nothing where it is of neither. */
void report_text_what(FILE *out, struct profile *profile, class_id klass, string_id text);
/** The innermost frame that is shown of a stack; NULL: there is none. */
const struct profile_frame *report_text_top(const struct report_how *r, struct profile *profile,
                                            trace_id id);
/** An indented line for each frame, the innermost `most` of them. */
void report_text_stack(const struct report_how *r, struct profile *profile, trace_id id,
                       uint32_t most);
/** The name of a thread, and its number. */
void report_text_thread(FILE *out, struct profile *profile, thread_id id);
