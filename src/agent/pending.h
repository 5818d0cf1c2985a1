/*
 * pending.h - what the program's threads have seen, until somebody has the time to count it.
 *
 * A thread of the program must not wait for a dump that is being written: so it only puts a record
 * in here, under a lock that is held for moments. Memory is bounded; what does not fit is refused.
 * Many may put, one at a time takes. What a record is made of is its user's. Knows no JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/lock.h"

/** A part of a record. */
struct pending_piece {
    const void *at;
    size_t len;
};

struct pending {
    struct lock lock;
    unsigned char *room;
    size_t size;         /* of `room` */
    uint64_t first, end; /* of what waits, counted from the beginning on */
};

/** Errors: 0, -ENOMEM. */
int pending_init(struct pending *q, size_t bytes, enum lock_rank rank);
void pending_done(struct pending *q);
/** Put in a record that is a copy of these pieces, one behind the other; false: there is no room.
 * Context: any, not signal. */
bool pending_put(struct pending *q, const struct pending_piece *pieces, int count);
/** Take the oldest record out, at most `size` bytes of it; returns its length, 0: there is none. */
size_t pending_take(struct pending *q, void *ret, size_t size);
