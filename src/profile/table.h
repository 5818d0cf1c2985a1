/*
 * table.h - a growing table whose rows never move.
 *
 * Rows are numbered from 1 and lie in chunks of an arena, so a pointer to a row stays valid until
 * the arena is freed. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct arena;

enum {
    TABLE_CHUNK_ROWS = 256,
    /* row numbers have 28 bits, so that a number of 32 bits can also say which table it is of */
    TABLE_ROWS_MAX = 0x0fffffff,
};

struct table {
    unsigned char **chunks;
    /* chunks in use; entries that `chunks` has room for */
    uint32_t chunk_count, chunk_room;
    uint32_t count; /* rows in use */
    uint32_t row_bytes;
};

void table_init(struct table *t, size_t row_bytes);
/** Add a zeroed row, whose number is t->count. NULL: `a` or the numbers are used up. */
void *table_add(struct table *t, struct arena *a);
/** The row with number `id`, from 1. Rows up to it that are not there yet are added. NULL: as
 * above. */
void *table_reach(struct table *t, struct arena *a, uint32_t id);
/** The row with number `id`, which must be 1 to t->count. */
void *table_at(const struct table *t, uint32_t id);
