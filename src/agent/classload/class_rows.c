/*
 * class_rows.c - see class_rows.h.
 *
 * The rows lie in chunks. Classes that are gone are a list through `next`, which class_rows_gone()
 * only adds to, and class_rows_next() only takes as a whole; so no row can come back while somebody
 * looks at it. Rows that were taken out are a second list, of free rows.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/classload/class_rows.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum {
    CHUNK_BITS = 12,
    CHUNK_ROWS = 1 << CHUNK_BITS,
    CHUNKS = CLASS_ROWS_MAX / CHUNK_ROWS,
    ROUND_SHIFT = 32, /* of a tag: below it the row's number, from 1 */
    NO_ROW = CLASS_ROWS_MAX + 1,
};

struct row {
    struct class_rows_class of;
    _Atomic uint32_t next; /* number of the next row of a list; 0: the end */
};

static struct {
    struct row *_Atomic chunks[CHUNKS];
    _Atomic uint32_t round; /* how often the table was cleared */
    _Atomic uint32_t gone;  /* the list of rows whose class is gone */
    uint32_t taken;         /* the rest of that list, which class_rows_next() goes through */
    uint32_t free;          /* the list of free rows */
    uint32_t used;          /* rows that have ever been used in this round */
} rows;

static struct row *row_at(uint32_t number)
{
    struct row *chunk =
        atomic_load_explicit(&rows.chunks[(number - 1) >> CHUNK_BITS], memory_order_acquire);
    return chunk ? &chunk[(number - 1) & (CHUNK_ROWS - 1)] : NULL;
}

/* The number of a free row; 0: there is none. */
static uint32_t take_free(void)
{
    uint32_t number = rows.free;
    if (number) {
        rows.free = atomic_load_explicit(&row_at(number)->next, memory_order_relaxed);
        return number;
    }
    if (rows.used == CLASS_ROWS_MAX)
        return 0;
    struct row *_Atomic *chunk = &rows.chunks[rows.used >> CHUNK_BITS];
    if (!atomic_load_explicit(chunk, memory_order_relaxed))
        atomic_store_explicit(chunk, calloc(CHUNK_ROWS, sizeof(struct row)), memory_order_release);
    return atomic_load_explicit(chunk, memory_order_relaxed) ? ++rows.used : 0;
}

static int64_t tag_of(uint32_t number)
{
    return (int64_t)((uint64_t)atomic_load(&rows.round) << ROUND_SHIFT | number);
}

int64_t class_rows_none(void)
{
    return tag_of(NO_ROW);
}

bool class_rows_is_tag(int64_t tag)
{
    return tag != 0 && (uint32_t)((uint64_t)tag >> ROUND_SHIFT) == atomic_load(&rows.round);
}

int64_t class_rows_add(const struct class_rows_class *c)
{
    uint32_t number = take_free();
    if (number == 0)
        return 0;
    row_at(number)->of = *c;
    return tag_of(number);
}

void class_rows_gone(int64_t tag)
{
    uint32_t number = (uint32_t)tag, first;
    if (!class_rows_is_tag(tag) || number == 0 || number > CLASS_ROWS_MAX)
        return;
    struct row *row = row_at(number);
    if (!row)
        return;
    first = atomic_load_explicit(&rows.gone, memory_order_relaxed);
    do
        atomic_store_explicit(&row->next, first, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&rows.gone, &first, number, memory_order_release,
                                                  memory_order_relaxed));
}

bool class_rows_next(struct class_rows_class *ret)
{
    if (rows.taken == 0)
        rows.taken = atomic_exchange_explicit(&rows.gone, 0, memory_order_acquire);
    uint32_t number = rows.taken;
    if (number == 0)
        return false;
    struct row *row = row_at(number);
    rows.taken = atomic_load_explicit(&row->next, memory_order_relaxed);
    *ret = row->of;
    atomic_store_explicit(&row->next, rows.free, memory_order_relaxed);
    rows.free = number;
    return true;
}

void class_rows_clear(void)
{
    atomic_fetch_add(&rows.round, 1);
    atomic_store(&rows.gone, 0);
    rows.taken = rows.free = rows.used = 0;
}
