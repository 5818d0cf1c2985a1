/*
 * report_text.h - writes the pieces of text that the tables of a report consist of.
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
/** The bytes of the string; "" for 0. */
const char *report_text_of(struct profile *profile, string_id id);
/** "class.method", in words that people read. NULL: no memory. Owner: free(). */
char *report_text_join(const char *klass, const char *name);
/** Writes "class.method", at most `columns` wide (0: no limit); "?" if there is no memory. */
void report_text_name(FILE *out, const char *klass, const char *name, size_t columns);
/** Writes "class, text": what a row has besides its stack. Writes nothing if it has neither. */
void report_text_what(FILE *out, struct profile *profile, class_id klass, string_id text);
/** The innermost frame of a stack that is shown; NULL: there is none. */
const struct profile_frame *report_text_top(const struct report_how *r, struct profile *profile,
                                            trace_id id);
/** Writes an indented line for each of the `most` innermost frames. */
void report_text_stack(const struct report_how *r, struct profile *profile, trace_id id,
                       uint32_t most);
/** Writes the name of a thread and its number. */
void report_text_thread(FILE *out, struct profile *profile, thread_id id);
