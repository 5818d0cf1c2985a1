/*
 * jfr_order.h - sorts the events of a chunk by their ends, as the JDK's tool prints them.
 *
 * Threads write their events in blocks, and each block is sorted. So the sort merges sorted runs,
 * which is fast if the events are nearly sorted. Events that end at the same time stay in the order
 * of the file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jfr_file;
struct jfr_filter;

struct jfr_order_row {
    int64_t end_ticks;
    const uint8_t *bytes; /* the bytes of the record */
};

struct jfr_order {
    struct jfr_order_row *rows, *spare;
    size_t count, room;
    bool *wanted; /* by jfr_type.number */
};

/** Replaces the rows by the chunk's events that pass the filter. Errors: 0, -ENOMEM. */
int jfr_order_chunk(struct jfr_order *o, struct jfr_file *f, const struct jfr_filter *filter);
void jfr_order_done(struct jfr_order *o);
