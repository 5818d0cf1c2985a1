/*
 * times_read.h - from nodes and stacks of cpu=times, while threads work on them, to rows.
 *
 * A part of times_tree.c, which has the lock that keeps stacks and threads in their places.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/times/times_node.h"

struct times_block;
struct times_since;

/** How the nodes are read for a recording. */
struct times_reading {
    int place;      /* of the recording */
    int clear;      /* its next rows count from here */
    int per_thread; /* rows know their threads */
    int64_t now;
};

/** One node as it was at the time of reading: calls that have ended since the last clearing, and
 * those that have not. Times are in units of the clock, never negative. */
struct times_row {
    uint32_t parent;      /* index of its caller's row, or TIMES_NO_ROW */
    int32_t id;           /* TIMES_FREE: no node */
    uint32_t thread;      /* 0: of several, or unknown */
    bool is_without_path; /* the calls of a method that found no room for their paths */
    int64_t calls, time, made;
    int64_t open, open_time, open_made; /* time without callees, since these calls began */
};

#define TIMES_NO_ROW UINT32_MAX

/** The calls of a method that have ended in this run, on all paths and in all threads: each took
 * its time with its callees, in units of the clock. */
struct times_method_spread {
    int64_t calls; /* 0: the others say nothing */
    int64_t total, least, most;
};

/** What a node has by now. */
void times_read_base(const struct times_node *n, struct times_node_base *ret);
/** Fill `rows`, one a node, all zero, with the calls that have ended. */
void times_read_nodes(struct times_node_view v, const struct times_reading *how,
                      struct times_row *rows);
/** Add the calls of all nodes to their methods', which are all zero at first, below `methods`. */
void times_read_spreads(struct times_node_view v, struct times_method_spread *ret,
                        uint32_t methods);
/** Add the open calls of a thread to their rows, less what they took before the recording began.
 * Errors: 0, -ENOMEM. */
int times_read_stack(struct times_node_view v, const struct times_block *b,
                     const struct times_since *before, int64_t now, struct times_row *rows);
