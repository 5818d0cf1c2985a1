/*
 * pending.h - a queue of records that the program's threads fill, and that is counted later.
 *
 * A thread of the program must not wait while a dump is written. So it only puts a record into this
 * queue, under a lock that is held for moments. The memory is bounded, and a record that does not
 * fit is refused. Many threads may put; one at a time takes. The user of the queue decides what a
 * record contains. This file knows no JVM.
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
    uint64_t first, end; /* byte counts since the beginning: the waiting bytes are [first, end) */
};

/** Errors: 0, -ENOMEM. */
int pending_init(struct pending *q, size_t bytes, enum lock_rank rank);
void pending_done(struct pending *q);
/**
 * Put in a record, which is a copy of these pieces in a row. False: there is no room. Context: any,
 * not signal.
 */
bool pending_put(struct pending *q, const struct pending_piece *pieces, int count);
/**
 * Take the oldest record out, and copy at most `size` bytes of it. Returns its length; 0: there is
 * none.
 */
size_t pending_take(struct pending *q, void *ret, size_t size);
