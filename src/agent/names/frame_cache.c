/*
 * frame_cache.c - see frame_cache.h.
 *
 * Open addressing: a row lies in one of PROBES places that begin at the place of its hash. The keys
 * are addresses and indices of this process, so no attacker chooses them. If keys collide, rows are
 * replaced and looked up again, but no search gets longer.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/frame_cache.h"
#include <stdlib.h>

enum {
    ROWS_FIRST = 1024,
    ROWS_MOST = 1 << 24,
    PROBES = 8,
};

void frame_cache_init(struct frame_cache *c, uint64_t bytes)
{
    uint32_t rows_max = ROWS_FIRST;
    while (rows_max < ROWS_MOST && (uint64_t)rows_max * 2 * sizeof(*c->rows) <= bytes)
        rows_max *= 2;
    *c = (struct frame_cache){.rows_max = rows_max};
}

void frame_cache_done(struct frame_cache *c)
{
    free(c->rows);
    *c = (struct frame_cache){.rows_max = c->rows_max};
}

/* The place of a key. The upper half of the product depends on every bit of both factors. */
static uint32_t place_of(uint64_t method, int32_t bci, uint32_t space)
{
    uint64_t other = (uint64_t)space << 32 | (uint32_t)bci;
    return (uint32_t)(((method ^ other * 0xbf58476d1ce4e5b9u) * 0x9e3779b97f4a7c15u) >> 32);
}

static bool is_of(const struct frame_cache_row *row, uint64_t method, int32_t bci, uint32_t space)
{
    return row->method == method && row->bci == bci && row->space == space;
}

struct frame_found frame_cache_find(const struct frame_cache *c, uint64_t method, int32_t bci,
                                    uint32_t space)
{
    uint32_t at = place_of(method, bci, space);
    for (uint32_t i = 0; c->rows && i < PROBES; i++) {
        const struct frame_cache_row *row = &c->rows[(at + i) & c->mask];
        if (is_of(row, method, bci, space))
            return row->found;
        if (!row->found.frame)
            break;
    }
    return (struct frame_found){0};
}

static void put(struct frame_cache *c, const struct frame_cache_row *row)
{
    uint32_t at = place_of(row->method, row->bci, row->space);
    for (uint32_t i = 0; i < PROBES; i++) {
        struct frame_cache_row *place = &c->rows[(at + i) & c->mask];
        if (!place->found.frame) {
            *place = *row;
            c->used++;
            return;
        }
    }
    c->rows[at & c->mask] = *row;
}

/* Doubles the table. If there is no memory, the table keeps its size. */
static void grow(struct frame_cache *c)
{
    uint32_t count = c->rows ? c->mask + 1 : 0, more = count ? count * 2 : ROWS_FIRST;
    struct frame_cache bigger = {.mask = more - 1, .rows_max = c->rows_max};
    if (more > c->rows_max)
        return;
    bigger.rows = calloc(more, sizeof(*bigger.rows));
    if (!bigger.rows)
        return;
    for (uint32_t i = 0; i < count; i++)
        if (c->rows[i].found.frame)
            put(&bigger, &c->rows[i]);
    free(c->rows);
    *c = bigger;
}

void frame_cache_keep(struct frame_cache *c, struct frame_cache_row row)
{
    if (!c->rows || c->used > c->mask / 2)
        grow(c);
    if (c->rows && row.found.frame)
        put(c, &row);
}
