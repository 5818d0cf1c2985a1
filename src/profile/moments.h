/*
 * moments.h - when events were: what the sums of a profile (sums.h) are sums of.
 *
 * A part of the model, for those who draw time; a moment is a row of the sums of its kind, a time,
 * and the values that it added to that row. Packed, some ten bytes each. Where not all found room,
 * there are none: half of the times would be a picture of something else. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/event.h"

struct arena;
struct moments_block;

struct moment {
    enum event_kind kind;
    uint32_t row;     /* of the sums of this kind */
    uint64_t time_ns; /* since the epoch: when it began */
    uint64_t value[EVENT_VALUES];
};

struct moments {
    struct moments_block *first, *last;
    uint64_t count;
    uint32_t kinds;             /* bit N: there are some of kind N */
    uint64_t first_ns, last_ns; /* the earliest and the latest; 0 without any */
    uint64_t time_before_ns;    /* of the one added last */
    uint64_t sample_ns;         /* CPU time between two samples of a thread; 0: unknown */
    bool is_broken;             /* some found no room, or their rows are gone */
};

/** Errors: 0; -ENOMEM: all of them are gone from now on. */
int moments_add(struct moments *m, struct arena *a, const struct moment *moment);
/** There are none, and will be none. */
void moments_give_up(struct moments *m);

/** A place in the list. */
struct moments_at {
    const struct moments_block *block;
    uint32_t used; /* bytes of it */
    uint64_t time_ns;
};

/** The beginning, in the order in which they were added. */
struct moments_at moments_begin(const struct moments *m);
/** The next one; false at the end. */
bool moments_next(struct moments_at *at, struct moment *ret_moment);
