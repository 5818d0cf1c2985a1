/*
 * row_marks.c - see row_marks.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/row_marks.h"
#include <string.h>
#include "profile/sums.h"

enum { WORD_BITS = 64 };

void row_marks_init(struct row_marks *m, size_t budget)
{
    arena_init(&m->arena, budget ? budget : SIZE_MAX);
    for (int kind = 0; kind < ROW_MARKS_KINDS; kind++)
        table_init(&m->bits[kind], sizeof(uint64_t));
    table_init(&m->classes, sizeof(uint64_t));
    for (int kind = 0; kind < KIND_COUNT; kind++)
        table_init(&m->before[kind], sizeof(uint64_t));
}

void row_marks_done(struct row_marks *m)
{
    arena_done(&m->arena);
    row_marks_init(m, m->arena.budget);
}

/* The number of this row, which is added if it is new; NULL: no memory. */
static uint64_t *number_at(struct row_marks *m, struct table *t, uint32_t row)
{
    return table_reach(t, &m->arena, row);
}

bool row_marks_set(struct row_marks *m, enum row_marks_kind kind, uint32_t id)
{
    uint64_t *word = number_at(m, &m->bits[kind], id / WORD_BITS + 1), bit = UINT64_C(1)
                                                                             << id % WORD_BITS;
    if (!word || *word & bit)
        return !word;
    *word |= bit;
    return true;
}

bool row_marks_take(struct row_marks *m, enum row_marks_kind kind, uint32_t id)
{
    uint64_t *word = number_at(m, &m->bits[kind], id / WORD_BITS + 1);
    uint64_t bit = UINT64_C(1) << id % WORD_BITS;
    bool was_set = word && *word & bit;
    if (was_set)
        *word &= ~bit;
    return was_set;
}

void row_marks_forget(struct row_marks *m)
{
    static const enum row_marks_kind rows[] = {ROW_MARKS_STRING, ROW_MARKS_RENAMED, ROW_MARKS_FRAME,
                                               ROW_MARKS_TRACE};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct table *t = &m->bits[rows[i]];
        for (uint32_t row = 1; row <= t->count; row++)
            *(uint64_t *)table_at(t, row) = 0;
    }
}

uint64_t row_marks_class(const struct row_marks *m, class_id klass)
{
    return klass <= m->classes.count ? *(const uint64_t *)table_at(&m->classes, klass) : 0;
}

void row_marks_set_class(struct row_marks *m, class_id klass, uint64_t object)
{
    uint64_t *mark = number_at(m, &m->classes, klass);
    if (mark)
        *mark = object;
}

uint64_t row_marks_before(const struct row_marks *m, enum kind_id kind, uint32_t row)
{
    const struct table *t = &m->before[kind];
    return row <= t->count ? *(const uint64_t *)table_at(t, row) : 0;
}

void row_marks_set_before(struct row_marks *m, enum kind_id kind, const struct sums *sums)
{
    for (uint32_t row = 1; row <= sums->rows.count; row++) {
        uint64_t *before = number_at(m, &m->before[kind], row);
        if (before)
            *before = sums_at(sums, row)->value[0];
    }
}
