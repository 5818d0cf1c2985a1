/*
 * jfr_order.h - the events of a JFR file in the order of their ends, as the JDK's tool prints them,
 * and those of a range of time (base/window.h).
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
#include "jfr/jfr_filter.h"

struct jfr_chunk;
struct jfr_file;
struct jfr_printer;
struct jfr_record;
struct jfr_type;
struct window;

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
/** Whether an event of the chunk is in the range, at least for a part of its duration. The range
 * was resolved by jfr_nanotime_resolve(). */
bool jfr_order_takes(const struct window *w, const struct jfr_chunk *c, const struct jfr_type *type,
                     const struct jfr_record *record);

/** One pass over the events of a file; those of each chunk come in the order of their ends. */
struct jfr_order_pass {
    const char *path;
    struct jfr_filter filter;
    struct jfr_printer *out; /* gets each chunk */
    struct window *range;    /* only events of this span of time; NULL: all. It becomes resolved */
    bool is_quiet;           /* do not report damage: another pass reports it */
    void *context;           /* passed to these functions, each of which may be NULL */
    void (*begin)(void *context, const struct jfr_chunk *chunk);
    int (*event)(void *context, const struct jfr_type *type, const struct jfr_record *record);
    void (*end)(void *context); /* the chunk is still open */
};

/** Returns 0; E_TRUNCATED if the file is incomplete; a negative number that `event` returned; other
 * errors. All errors were reported. */
int jfr_order_run(const struct jfr_order_pass *pass);
