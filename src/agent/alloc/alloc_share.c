/*
 * alloc_share.c - see alloc_share.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_share.h"
#include <errno.h>
#include <string.h>
#include "base/err.h"
#include "base/pages.h"

int alloc_share_init(struct alloc_share *s, struct alloc_table *table)
{
    *s = (struct alloc_share){.table = table};
    s->whose = pages_map(ALLOC_SHARE_STRETCHES);
    return s->whose ? 0 : -ENOMEM;
}

void alloc_share_done(struct alloc_share *s)
{
    for (int place = 0; s->whose && place < ALLOC_SHARE_PLACES; place++)
        alloc_share_part(s, place);
    pages_unmap(s->whose, ALLOC_SHARE_STRETCHES);
    s->whose = NULL;
}

static uint32_t number_at_hand(const struct alloc_share *s)
{
    return (uint32_t)(atomic_load(&s->stretch) >> ALLOC_SHARE_STRETCH_SHIFT);
}

/* The recordings for which objects are counted now, a bit for each place. */
static uint8_t counting(const struct alloc_share *s)
{
    uint8_t bits = 0;
    for (int place = 0; place < ALLOC_SHARE_PLACES; place++)
        if (s->parts[place].is_counting)
            bits |= (uint8_t)(1u << place);
    return bits;
}

bool alloc_share_is_counting(const struct alloc_share *s)
{
    return counting(s) != 0;
}

static int begin_stretch(struct alloc_share *s)
{
    uint32_t next = number_at_hand(s) + 1;
    if (next == ALLOC_SHARE_STRETCHES)
        return E_LIMIT;
    s->whose[next] = counting(s);
    atomic_store(&s->stretch, (uint64_t)next << ALLOC_SHARE_STRETCH_SHIFT);
    return 0;
}

static double at_least_0(double n)
{
    return n > 0 ? n : 0;
}

static struct alloc_counts less(struct alloc_counts now, const struct alloc_counts *then)
{
    return (struct alloc_counts){
        .objects = now.objects - then->objects,
        .bytes = now.bytes - then->bytes,
        .objects_estimate = at_least_0(now.objects_estimate - then->objects_estimate),
        .bytes_estimate = at_least_0(now.bytes_estimate - then->bytes_estimate),
        .objects_variance = at_least_0(now.objects_variance - then->objects_variance),
        .bytes_variance = at_least_0(now.bytes_variance - then->bytes_variance),
    };
}

/* Change part->rows from what the recording has to what must be subtracted from the table, or back.
 * In both directions the new value is the table's value minus the old one. */
static void turn_rows(struct alloc_share *s, struct alloc_part *part)
{
    uint32_t count = atomic_load(&s->table->row_count);
    for (uint32_t row = 1; row <= count; row++)
        part->rows[row] = less(alloc_table_counts(s->table, row), &part->rows[row]);
    part->is_counting = !part->is_counting;
}

int alloc_share_turn(struct alloc_share *s, int place, bool is_on)
{
    struct alloc_part *part = &s->parts[place];
    if (!part->is_there || part->is_counting == is_on)
        return 0;
    turn_rows(s, part);
    int error = begin_stretch(s);

    if (error)
        turn_rows(s, part);
    return error;
}

static size_t rows_bytes(const struct alloc_share *s)
{
    return s->table->row_room * sizeof(*s->parts[0].rows);
}

static bool is_first(const struct alloc_share *s)
{
    bool is_first = number_at_hand(s) == 0;
    for (int place = 0; place < ALLOC_SHARE_PLACES; place++)
        is_first = is_first && !s->parts[place].is_there;
    return is_first;
}

int alloc_share_join(struct alloc_share *s, int place)
{
    struct alloc_part *part = &s->parts[place];
    bool has_all = is_first(s);
    part->rows = pages_map(rows_bytes(s));
    if (!part->rows)
        return -ENOMEM;
    part->is_there = true;
    if (!has_all)
        return alloc_share_turn(s, place, true);
    part->is_counting = true;
    s->whose[0] = counting(s);
    return 0;
}

void alloc_share_part(struct alloc_share *s, int place)
{
    struct alloc_part *part = &s->parts[place];
    pages_unmap(part->rows, part->rows ? rows_bytes(s) : 0);
    *part = (struct alloc_part){0};
    for (uint32_t i = 0, last = number_at_hand(s); i <= last; i++)
        s->whose[i] &= (uint8_t) ~(1u << place);
}

void alloc_share_clear(struct alloc_share *s, int place)
{
    struct alloc_part *part = &s->parts[place];
    bool was_counting = part->is_counting;
    if (!part->is_there)
        return;
    memset(part->rows, 0, (atomic_load(&s->table->row_count) + 1) * sizeof(*part->rows));
    part->is_counting = false;
    if (was_counting)
        turn_rows(s, part);
}

struct alloc_counts alloc_share_counts(const struct alloc_share *s, int place, uint32_t row)
{
    const struct alloc_part *part = &s->parts[place];
    return part->is_counting ? less(alloc_table_counts(s->table, row), &part->rows[row])
                             : part->rows[row];
}
