/*
 * hprof_marks.h - what one writer of an HPROF file remembers of a model: which rows are in its file
 * already, and what its last table said.
 *
 * The marks belong to the writer, so one model feeds any number of them. They lie in pages of their
 * own, by the rows' numbers, within a budget: a mark takes less than an eighth of what its row
 * takes in the model. Where the budget is used up, a row is written again, which readers allow.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "profile/profile.h"
#include "profile/table.h"

/** What has one mark a row: it is in the file. */
enum hprof_marks_kind {
    HPROF_MARKS_STRING,
    HPROF_MARKS_FRAME,
    HPROF_MARKS_TRACE,
    HPROF_MARKS_ENDED,  /* a thread, in a MONITOR DUMP behind its end */
    HPROF_MARKS_LISTED, /* a class that was loaded at the last look */
    HPROF_MARKS_KINDS,
};

/** One part of this many of the model's budget is enough for its marks; it is beside that. */
enum { HPROF_MARKS_SHARE = 8 };

struct hprof_marks {
    struct arena arena;
    struct table bits[HPROF_MARKS_KINDS]; /* rows of 64 marks */
    struct table classes;                 /* uint64_t: the class object's id, 0 not in the file */
    struct table before[KIND_COUNT];      /* uint64_t: value[0] of a sum at the last table */
};

/** At most `budget` bytes; 0: any number. */
void hprof_marks_init(struct hprof_marks *m, size_t budget);
void hprof_marks_done(struct hprof_marks *m);
/** Sets a mark. Returns whether it was not set before. */
bool hprof_marks_set(struct hprof_marks *m, enum hprof_marks_kind kind, uint32_t id);
/** Takes a mark away. Returns whether it was set. */
bool hprof_marks_take(struct hprof_marks *m, enum hprof_marks_kind kind, uint32_t id);
/** No string, frame or trace has a mark any more. */
void hprof_marks_forget(struct hprof_marks *m);
/** The object's id under which the file has a class; 0: none. */
uint64_t hprof_marks_class(const struct hprof_marks *m, class_id klass);
void hprof_marks_set_class(struct hprof_marks *m, class_id klass, uint64_t object);
/** What row `row` of the sums of a kind had when hprof_marks_set_before() was called last. */
uint64_t hprof_marks_before(const struct hprof_marks *m, enum kind_id kind, uint32_t row);
/** The next table of this kind is to say what comes from now on. */
void hprof_marks_set_before(struct hprof_marks *m, enum kind_id kind, const struct sums *sums);
