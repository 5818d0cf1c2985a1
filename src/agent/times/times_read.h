/*
 * times_read.h - from nodes and stacks of cpu=times, while threads work on them, to rows.
 *
 * A part of times_tree.c, which has the lock that keeps stacks and threads in their places.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "agent/times/times_tree.h"

/** Fill `rows`, one a node, all zero, with the calls that have ended. With `clear` the next reading
 * counts from here. With `per_thread` rows know their threads. */
void times_read_nodes(struct times_node_view v, int clear, int per_thread, struct times_row *rows);
/** Add the open calls of a thread to their rows. Errors: 0, -ENOMEM. */
int times_read_stack(struct times_node_view v, const struct times_block *b, int64_t now,
                     struct times_row *rows);
