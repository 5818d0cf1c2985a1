/*
 * table.c - chunked rows: see table.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/table.h"
#include <string.h>
#include "base/arena.h"

void table_init(struct table *t, size_t row_bytes)
{
    *t = (struct table){.row_bytes = (uint32_t)row_bytes};
}

/* Doubles the list of chunks. The old lists stay in the arena; together they are smaller than the
 * new one. */
static int make_room(struct table *t, struct arena *a)
{
    uint32_t room = t->chunk_room ? t->chunk_room * 2 : 16;
    unsigned char **chunks = arena_alloc(a, room * sizeof(void *));
    if (!chunks)
        return 0;
    if (t->chunk_count)
        memcpy(chunks, t->chunks, t->chunk_count * sizeof(void *));
    t->chunks = chunks;
    t->chunk_room = room;
    return 1;
}

void *table_add(struct table *t, struct arena *a)
{
    if (t->count == TABLE_ROWS_MAX)
        return NULL;
    if (t->count == t->chunk_count * (uint32_t)TABLE_CHUNK_ROWS) {
        if (t->chunk_count == t->chunk_room && !make_room(t, a))
            return NULL;
        unsigned char *chunk = arena_alloc(a, (size_t)TABLE_CHUNK_ROWS * t->row_bytes);
        if (!chunk)
            return NULL;
        t->chunks[t->chunk_count++] = chunk;
    }
    t->count++;
    return table_at(t, t->count);
}

void *table_reach(struct table *t, struct arena *a, uint32_t id)
{
    while (t->count < id)
        if (!table_add(t, a))
            return NULL;
    return table_at(t, id);
}

void *table_at(const struct table *t, uint32_t id)
{
    uint32_t index = id - 1;
    return t->chunks[index / TABLE_CHUNK_ROWS] + (size_t)(index % TABLE_CHUNK_ROWS) * t->row_bytes;
}
