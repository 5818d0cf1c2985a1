/*
 * times_read.h - makes rows of the nodes and stacks of cpu=times, while threads work on them.
 *
 * This is a part of times_tree.c, which has the lock that keeps stacks and threads in their places.
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
    int clear;      /* the next rows of the recording count from here */
    int per_thread; /* rows have the numbers of their threads */
    int64_t now;
};

/**
 * One node at the time of reading: calls that have ended since the last clearing, and open calls.
 * Times are in units of the clock, never negative.
 */
struct times_row {
    uint32_t parent;      /* index of the caller's row, or TIMES_NO_ROW */
    int32_t id;           /* TIMES_FREE: the row is of no node */
    uint32_t thread;      /* 0: several threads, or unknown */
    bool is_without_path; /* calls of a method whose paths found no room */
    int64_t calls, time, made;
    int64_t open, open_time, open_made; /* open_time: without callees, since these calls began */
};

#define TIMES_NO_ROW UINT32_MAX

/**
 * The calls of a method that have ended in this run, on all paths and in all threads. Each time
 * includes callees, in units of the clock.
 */
struct times_method_spread {
    int64_t calls; /* 0: the other fields say nothing */
    int64_t total, least, most;
};

/** The values of a node now. */
void times_read_base(const struct times_node *n, struct times_node_base *ret);
/** Fill `rows` with the ended calls, one row for each node; all rows are zero before. */
void times_read_nodes(struct times_node_view v, const struct times_reading *how,
                      struct times_row *rows);
/** Add the calls of all nodes to their methods below `methods`; *ret is all zero before. */
void times_read_spreads(struct times_node_view v, struct times_method_spread *ret,
                        uint32_t methods);
/**
 * Add the open calls of a thread to their rows, without the time before the recording began.
 * Errors: 0, -ENOMEM.
 */
int times_read_stack(struct times_node_view v, const struct times_block *b,
                     const struct times_since *before, int64_t now, struct times_row *rows);
