/*
 * report_rows.h - the tables of a report as data (command/tabular.h): --sort, --table and --format.
 *
 * Each table fills its rows here before it prints its text, in the order that the rows have then.
 * The command holds the text back until it is known whether there is what the options ask for.
 * docs/man/hprof-report.1 lists tables and columns.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/profile.h"

struct report_how;
struct tabular;

/** Begins the table `name`, whose columns are separated by blanks. Returns whether the rows are to
 * be filled in. */
bool report_rows_begin(const struct report_how *r, struct tabular *t, const char *name,
                       const char *columns);
/** Takes the rows. Returns whether the text of the table is printed, in the order of
 * tabular_at(). */
bool report_rows_place(const struct report_how *r, struct tabular *t);
/** Add a cell: a string of the profile (0: nothing); a class's name; "class.method"; the innermost
 * method of a stack; the name of a thread; a part of a whole, 1 for the whole. */
void report_rows_string(struct tabular *t, struct profile *profile, string_id id);
void report_rows_class(struct tabular *t, struct profile *profile, class_id id);
void report_rows_method(struct tabular *t, const char *klass, const char *name);
void report_rows_top(const struct report_how *r, struct tabular *t, struct profile *profile,
                     trace_id id);
void report_rows_thread(struct tabular *t, struct profile *profile, thread_id id);
void report_rows_share(struct tabular *t, uint64_t part, uint64_t whole);
/** Adds the frames of a stack, the innermost first: "A.a < B.b". */
void report_rows_stack(const struct report_how *r, struct tabular *t, struct profile *profile,
                       trace_id id);
/** Writes the name of a column for a value of this kind: "made_bytes", "sleep_time_ns". */
void report_rows_key(enum kind_id kind, uint32_t value, char *to, size_t room);
