/*
 * times_read.h - from the nodes of the trees of cpu=times, while threads work on them, to rows.
 *
 * A part of times_tree.c, which has the nodes and the lock. Knows no JVM and no threads.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "agent/times/times_tree.h"

/** What a node had at the last clearing, besides base_count: times of calls that had ended. */
struct times_read_base {
    int64_t time, self;
};

/**
 * Fill `rows`, one a node, all zero but is_open, which says what is open where there are no times
 * (`now` is 0). With `clear` the next reading counts from here. Errors: 0, -ENOMEM.
 */
int times_read(struct times_node *nodes, struct times_read_base *bases, uint32_t count, int64_t now,
               int clear, struct times_row *rows);
