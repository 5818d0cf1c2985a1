/*
 * rowset.h - a set of row numbers of a profile, with one bit each.
 *
 * The bits lie in an arena, and the arena's budget limits them: a bit is less than a hundredth of
 * any row. Not thread-safe. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/table.h"

struct arena;

struct rowset {
    struct table words; /* 64 bits each; bit 0 of the first word is row 0 */
};

void rowset_init(struct rowset *s);
/** Make sure that the next rowset_add() of `row` succeeds. Errors: 0, -ENOMEM. */
int rowset_grow(struct rowset *s, struct arena *a, uint32_t row);
/** Add `row`. Errors: 0, also if the row was in the set; -ENOMEM. */
int rowset_add(struct rowset *s, struct arena *a, uint32_t row);
bool rowset_has(const struct rowset *s, uint32_t row);
/** Make the set empty; the memory is kept. */
void rowset_clear(struct rowset *s);
/** The first row from `row` on that is in `s` and not in `without`; 0: none. Row 0 is skipped. */
uint32_t rowset_next(const struct rowset *s, const struct rowset *without, uint32_t row);
