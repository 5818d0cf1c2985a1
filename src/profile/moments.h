/*
 * moments.h - when the events happened that are in the sums of a profile (sums.h).
 *
 * A part of the model, for programs that draw time. A moment has a row in the sums of its kind, a
 * time, and the values that it added to that row. Moments are packed into about ten bytes each. If
 * some moments find no room all are removed, because a picture of half of them would be wrong. Not
 * thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/event.h"

struct arena;
struct moments_block;

struct moment {
    enum kind_id kind;
    uint32_t row;     /* row in the sums of this kind */
    uint64_t time_ns; /* when the event began, since the epoch */
    uint64_t value[KIND_VALUES];
};

struct moments {
    struct moments_block *first, *last;
    uint64_t count;
    uint32_t kinds;             /* bit N: there are moments of kind N */
    uint64_t first_ns, last_ns; /* the earliest and the latest; 0: there are none */
    uint64_t time_before_ns;    /* time of the moment that was added last */
    uint64_t sample_ns;         /* CPU time between two samples of a thread; 0: unknown */
    bool is_broken;             /* some found no room, or their rows were removed */
};

/** Add a moment. Errors: 0; -ENOMEM: all moments are removed, and no more can be added. */
int moments_add(struct moments *m, struct arena *a, const struct moment *moment);
/** Remove all moments; no more can be added. */
void moments_give_up(struct moments *m);

/** A position in the list of moments. */
struct moments_at {
    const struct moments_block *block;
    uint32_t used; /* bytes of `block` that were read */
    uint64_t time_ns;
};

/** The position of the first moment. Moments come in the order in which they were added. */
struct moments_at moments_begin(const struct moments *m);
/** Read the next moment. Returns false at the end. */
bool moments_next(struct moments_at *at, struct moment *ret_moment);
