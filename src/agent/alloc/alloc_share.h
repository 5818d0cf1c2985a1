/*
 * alloc_share.h - which of the counted allocations belong to which recording.
 *
 * Sites are counted once for all recordings. A recording has what came since it began: it subtracts
 * the values that the counters of a site had then. For objects that live, the tag tells more: it
 * holds the row, and also the number of the stretch of time in which the object was made. For each
 * stretch it is known which recordings counted in it. A new stretch begins when a recording begins,
 * stops counting or goes on. This file knows no JVM.
 * Memory: one byte for each stretch, and for each recording 48 bytes for each row; pages that are
 * not touched cost nothing.
 * Context: the functions for tags say theirs; all other functions: one thread at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/alloc/alloc_table.h"

enum {
    ALLOC_SHARE_PLACES = 8, /* recordings at the same time */
    ALLOC_SHARE_STRETCHES = 1 << 20,
    /* the stretch is the upper half of a tag; the row is the lower half */
    ALLOC_SHARE_STRETCH_SHIFT = 32,
};

/** The part of a share that belongs to one recording. */
struct alloc_part {
    bool is_there, is_counting;
    /* if is_counting: what to subtract from the table; otherwise: what the recording has */
    struct alloc_counts *rows;
};

struct alloc_share {
    struct alloc_table *table;
    uint8_t *whose;           /* indexed by stretch; each recording has one bit */
    _Atomic uint64_t stretch; /* the current stretch, shifted to its place in a tag */
    struct alloc_part parts[ALLOC_SHARE_PLACES];
};

/** Prepare a share without recordings; `table` is borrowed. Errors: 0, -ENOMEM. */
int alloc_share_init(struct alloc_share *s, struct alloc_table *table);
void alloc_share_done(struct alloc_share *s);

/** A recording begins. The first recording of all also gets what was counted before it. Errors: 0;
 * -ENOMEM; E_LIMIT: there were too many stretches. */
int alloc_share_join(struct alloc_share *s, int place);
/** The recording has ended. It need not have joined. */
void alloc_share_part(struct alloc_share *s, int place);
/** Stop counting for the recording, or go on. Errors: 0; E_LIMIT as alloc_share_join(). */
int alloc_share_turn(struct alloc_share *s, int place, bool is_on);
/** Set what the recording has to 0. */
void alloc_share_clear(struct alloc_share *s, int place);
/** Whether any recording counts. */
bool alloc_share_is_counting(const struct alloc_share *s);
/** The counts that a recording has in a row. */
struct alloc_counts alloc_share_counts(const struct alloc_share *s, int place, uint32_t row);

/** The tag of an object that is made now, at the site of `row`. Context: any thread. */
static inline int64_t alloc_share_tag(const struct alloc_share *s, uint32_t row)
{
    return (int64_t)(atomic_load_explicit(&s->stretch, memory_order_relaxed) | row);
}

/** The row that a tag names; 0: the tag is not of this kind. Context: any, a forked child too. */
static inline uint32_t alloc_share_row(int64_t tag)
{
    return tag > 0 && tag >> ALLOC_SHARE_STRETCH_SHIFT < ALLOC_SHARE_STRETCHES ? (uint32_t)tag : 0;
}

/** Whether an object with this tag was made while the recording counted. The tag must name a row.
 * Context: gc. */
static inline bool alloc_share_has(const struct alloc_share *s, int place, int64_t tag)
{
    return s->whose[tag >> ALLOC_SHARE_STRETCH_SHIFT] >> place & 1;
}
