/*
 * samecontent.c - see samecontent.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/samecontent.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/splitmix.h"
#include "heap/heaproom.h"

enum { SLOTS_PER_THING = 4, ROWS_FIRST = 4096, WORD = 64 };

int samecontent_init(struct samecontent *s, struct heaproom *room, uint64_t expected)
{
    uint64_t slots = (uint64_t)WORD * 2;
    while (slots < expected * SLOTS_PER_THING)
        slots *= 2;
    *s = (struct samecontent){.room = room, .filter_bits = slots * 2, .room_rows = ROWS_FIRST};
    s->filter = heaproom_take(room, s->filter_bits / 8);
    s->rows = heaproom_take(room, s->room_rows * sizeof(*s->rows));
    return s->filter && s->rows ? 0 : E_LIMIT;
}

void samecontent_done(struct samecontent *s)
{
    if (!s->room)
        return;
    heaproom_give(s->room, s->filter, s->filter_bits / 8);
    heaproom_give(s->room, s->rows, s->room_rows * sizeof(*s->rows));
    *s = (struct samecontent){0};
}

/* The word and the place in it of the two bits of a hash. */
static uint64_t *bits_of(const struct samecontent *s, uint64_t hash, unsigned *ret_shift)
{
    uint64_t at = (splitmix_mix(hash) & (s->filter_bits / 2 - 1)) * 2;
    *ret_shift = (unsigned)(at % WORD);
    return &s->filter[at / WORD];
}

void samecontent_see(struct samecontent *s, uint64_t hash)
{
    unsigned shift;
    uint64_t *word = bits_of(s, hash, &shift);
    uint64_t seen = *word >> shift & 1;
    *word |= (UINT64_C(1) | seen << 1) << shift;
}

static struct samecontent_row *find(const struct samecontent_row *rows, uint64_t room,
                                    uint64_t hash)
{
    uint64_t at = splitmix_mix(hash ^ UINT64_C(0x5bd1e995));
    while (rows[at & (room - 1)].count > 0 && rows[at & (room - 1)].hash != hash)
        at++;
    return (struct samecontent_row *)&rows[at & (room - 1)];
}

static bool grow(struct samecontent *s)
{
    uint64_t room = s->room_rows * 2;
    struct samecontent_row *rows = heaproom_take(s->room, room * sizeof(*rows));
    if (!rows)
        return false;
    for (uint64_t i = 0; i < s->room_rows; i++)
        if (s->rows[i].count > 0)
            *find(rows, room, s->rows[i].hash) = s->rows[i];
    heaproom_give(s->room, s->rows, s->room_rows * sizeof(*rows));
    s->rows = rows;
    s->room_rows = room;
    return true;
}

bool samecontent_may_repeat(const struct samecontent *s, uint64_t hash)
{
    unsigned shift;
    const uint64_t *word = bits_of(s, hash, &shift);
    return (*word >> shift & 2) != 0;
}

uint64_t samecontent_count(struct samecontent *s, uint64_t hash, graph_object object,
                           uint64_t bytes, int *ret_error)
{
    if (!samecontent_may_repeat(s, hash))
        return UINT64_MAX;
    if (s->used > s->room_rows / 2 && !grow(s)) {
        *ret_error = E_LIMIT;
        return UINT64_MAX;
    }
    struct samecontent_row *row = find(s->rows, s->room_rows, hash);
    if (row->count == 0) {
        *row = (struct samecontent_row){.hash = hash, .each_bytes = bytes, .first = object};
        s->used++;
    }
    row->bytes += bytes;
    return row->count++;
}

static int by_waste(const void *a, const void *b)
{
    const struct samecontent_row *x = a, *y = b;
    uint64_t p = samecontent_wasted(x), q = samecontent_wasted(y);
    if (p != q)
        return p > q ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

uint64_t samecontent_sort(struct samecontent *s)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < s->room_rows; i++)
        if (s->rows[i].count > 1)
            s->rows[count++] = s->rows[i];
    if (count > 0)
        qsort(s->rows, count, sizeof(*s->rows), by_waste);
    return count;
}

uint64_t samecontent_hash(uint64_t hash, const unsigned char *bytes, size_t len)
{
    for (; len >= sizeof(uint64_t); bytes += sizeof(uint64_t), len -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes, sizeof(word));
        hash = (hash ^ splitmix_mix(word)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    uint64_t rest = len;
    for (size_t i = 0; i < len; i++)
        rest = rest << 8 | bytes[i];
    return len > 0 ? splitmix_mix(hash ^ rest) : hash;
}
