/*
 * alloc_share.h - which of the allocations that are counted are whose.
 *
 * Sites are counted once for all recordings, and each recording has what came since it began: from
 * the counters of a site it subtracts what they had then. To know the same of what lives, an
 * object's tag holds beside its row the number of the stretch of time in which it was made, and
 * each stretch knows which recordings counted in it. A new stretch begins when a recording begins,
 * or is told to count no more or to go on. Knows no JVM.
 * Memory: a byte a stretch, and for each recording 48 bytes a row; pages that are not touched cost
 * nothing. Context: all but the functions for tags: one thread at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/alloc/alloc_table.h"

enum {
    ALLOC_SHARE_PLACES = 8, /* recordings at one time */
    ALLOC_SHARE_STRETCHES = 1 << 20,
    ALLOC_SHARE_STRETCH_SHIFT = 32, /* of a tag; its lower half is the row */
};

/** One recording. */
struct alloc_part {
    bool is_there, is_counting;
    struct alloc_counts *rows; /* is_counting: to subtract from the table's; else what it has */
};

struct alloc_share {
    struct alloc_table *table;
    uint8_t *whose;           /* by number of a stretch: a bit a recording */
    _Atomic uint64_t stretch; /* the one at hand, where tags have it */
    struct alloc_part parts[ALLOC_SHARE_PLACES];
};

/** Errors: 0, -ENOMEM. `table` is borrowed. */
int alloc_share_init(struct alloc_share *s, struct alloc_table *table);
void alloc_share_done(struct alloc_share *s);

/** A recording begins. What was counted before the first one of all is that one's. Errors: 0;
 * -ENOMEM; E_LIMIT: there were too many stretches. */
int alloc_share_join(struct alloc_share *s, int place);
/** The recording has ended, or has not joined. */
void alloc_share_part(struct alloc_share *s, int place);
/** From now on nothing is counted for the recording, or objects are again. Errors: 0; E_LIMIT as
 * above. */
int alloc_share_turn(struct alloc_share *s, int place, bool is_on);
/** What it has is 0. */
void alloc_share_clear(struct alloc_share *s, int place);
/** Whether anything is counted for anybody. */
bool alloc_share_is_counting(const struct alloc_share *s);
/** What a recording has of a row. */
struct alloc_counts alloc_share_counts(const struct alloc_share *s, int place, uint32_t row);

/** The tag of an object that is made now. Context: any thread. */
static inline int64_t alloc_share_tag(const struct alloc_share *s, uint32_t row)
{
    return (int64_t)(atomic_load_explicit(&s->stretch, memory_order_relaxed) | row);
}

/** The row of a tag; 0: it is none of these. Context: any, a forked child too. */
static inline uint32_t alloc_share_row(int64_t tag)
{
    return tag > 0 && tag >> ALLOC_SHARE_STRETCH_SHIFT < ALLOC_SHARE_STRETCHES ? (uint32_t)tag : 0;
}

/** Whether an object with this tag, which has a row, was made for the recording. Context: gc. */
static inline bool alloc_share_has(const struct alloc_share *s, int place, int64_t tag)
{
    return s->whose[tag >> ALLOC_SHARE_STRETCH_SHIFT] >> place & 1;
}
