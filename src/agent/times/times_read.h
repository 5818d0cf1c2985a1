/*
 * times_read.h - from nodes and stacks of cpu=times, while threads work on them, to rows.
 *
 * A part of times_tree.c, which has the lock that keeps stacks and threads in their places.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "agent/times/times_tree.h"

struct times_since;

/** What a node has by now. */
void times_read_base(const struct times_node *n, struct times_node_base *ret);
/** Fill `rows`, one a node, all zero, with the calls that have ended. */
void times_read_nodes(struct times_node_view v, const struct times_tree_reading *how,
                      struct times_row *rows);
/** Add the open calls of a thread to their rows, less what they took before the recording began.
 * Errors: 0, -ENOMEM. */
int times_read_stack(struct times_node_view v, const struct times_block *b,
                     const struct times_since *before, int64_t now, struct times_row *rows);
