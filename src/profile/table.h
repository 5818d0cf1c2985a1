/*
 * table.h - a growing table of rows that never move.
 *
 * Rows are numbered from 1 and live in chunks of an arena, so a pointer to a row stays valid until
 * the arena dies. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct arena;

enum {
    TABLE_CHUNK_ROWS = 256,
    TABLE_ROWS_MAX = 0x0fffffff, /* row numbers fit into the low 28 bits of HPROF identifiers */
};

struct table {
    unsigned char **chunks;
    uint32_t chunk_count, chunk_room; /* chunks there are; entries that `chunks` has room for */
    uint32_t count;                   /* rows in use */
    uint32_t row_bytes;
};

void table_init(struct table *t, size_t row_bytes);
/** A new zeroed row, number t->count; NULL when `a` or the numbers are used up. */
void *table_add(struct table *t, struct arena *a);
/** The row `id`, which must be 1..t->count. */
void *table_at(const struct table *t, uint32_t id);
