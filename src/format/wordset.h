/*
 * wordset.h - a set of rows of 32-bit numbers. Each row is in the set once. Rows are numbered from
 * 1 in the order in which they came.
 *
 * It is for writers of formats whose tables refer to each other by number and contain no row twice.
 * Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "base/arena.h"
#include "profile/lookup.h"
#include "profile/table.h"

struct wordset {
    struct arena arena;
    struct lookup_key key;
    struct lookup index;
    struct table rows;
};

struct wordset_row {
    uint32_t *words;
    uint32_t count;
};

void wordset_init(struct wordset *s);
void wordset_done(struct wordset *s);
/** The number of the row with these words; adds it if it is new. A row may have no words. 0: no
 * memory. */
uint32_t wordset_add(struct wordset *s, const uint32_t *words, uint32_t count);
uint32_t wordset_count(const struct wordset *s);
/** Row 1 .. wordset_count(); valid until wordset_done(). */
const struct wordset_row *wordset_at(const struct wordset *s, uint32_t number);
