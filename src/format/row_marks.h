/*
 * row_marks.h - what the writer of one file remembers about a model: which rows are in its file
 * already, and the sums in its last table.
 *
 * The marks belong to the file, so several files can be written of one model. They lie in memory
 * pages of their own, within a budget, and are found by the number of the row. The marks take less
 * than an eighth of the memory of their rows in the model. When the budget is used up a row is
 * written again, which readers allow. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "profile/profile.h"
#include "profile/table.h"

/** Kinds of marks. A mark of the first four kinds says that a row is in the file. */
enum row_marks_kind {
    ROW_MARKS_STRING,
    /* A string whose name in the file is another one (hprof_redact.h). */
    ROW_MARKS_RENAMED,
    ROW_MARKS_FRAME,
    ROW_MARKS_TRACE,
    /* A thread that was in a MONITOR DUMP after its end. */
    ROW_MARKS_ENDED,
    /* A class that was loaded when the writer looked last. */
    ROW_MARKS_LISTED,
    ROW_MARKS_KINDS,
};

/** The marks of a model get 1/8 of the bytes of its budget, in addition to that budget. */
enum { ROW_MARKS_SHARE = 8 };

struct row_marks {
    struct arena arena;
    struct table bits[ROW_MARKS_KINDS]; /* uint64_t: 64 marks */
    struct table classes; /* uint64_t by class: id of the class object; 0: not in the file */
    /* uint64_t by row: value[0] of a sum when row_marks_set_before() was called last. */
    struct table before[KIND_COUNT];
};

/** The marks take at most `budget` bytes; 0: no limit. */
void row_marks_init(struct row_marks *m, size_t budget);
void row_marks_done(struct row_marks *m);
/** Sets a mark. Returns whether it was not set before. */
bool row_marks_set(struct row_marks *m, enum row_marks_kind kind, uint32_t id);
/** Takes a mark away. Returns whether it was set. */
bool row_marks_take(struct row_marks *m, enum row_marks_kind kind, uint32_t id);
/** Removes the marks of all strings, frames and traces. */
void row_marks_forget(struct row_marks *m);
/** The id of the class object that the file has for a class; 0: the class is not in the file. */
uint64_t row_marks_class(const struct row_marks *m, class_id klass);
void row_marks_set_class(struct row_marks *m, class_id klass, uint64_t object);
/** The value of row `row` in the sums of a kind at the last call of row_marks_set_before(). */
uint64_t row_marks_before(const struct row_marks *m, enum kind_id kind, uint32_t row);
/** Remembers the sums. The next table of this kind will contain only what is added after that. */
void row_marks_set_before(struct row_marks *m, enum kind_id kind, const struct sums *sums);
