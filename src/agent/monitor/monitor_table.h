/*
 * monitor_table.h - a table of contention and waits, filled by the threads that meet them.
 *
 * Such an event comes on a thread that is about to block, or that holds what others wait for. This
 * thread must not wait while a dump is written. So it only adds to this table, under a lock that is
 * held for moments and never during a call of the VM. A thread with the agent's lock later writes
 * the lines and turns the frames into traces. The memory is bounded; what does not fit is counted
 * in `lost`. This file knows no JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/lock.h"
#include "profile/lookup.h"
#include "profile/profile.h"
#include "profile/table.h"

enum { MONITOR_TABLE_LINES = 4096 };

struct monitor_table_count {
    uint64_t hits, ns;
};

/** A place where monitors of one class were contended. Rows never move. */
struct monitor_table_row {
    const char *name;   /* of the class; equal names have one pointer */
    int kind;           /* a number that only the caller understands */
    uint32_t thread;    /* serial, 0: any */
    const void *frames; /* bytes as the caller gave them */
    uint32_t frame_bytes;
    struct monitor_table_count count; /* since monitor_table_take() */
    /* set by the code that turns frames into traces; 0: not yet */
    trace_id trace;
};

/** A line to be written into the file. */
struct monitor_table_line {
    const char *name;
    int64_t ms;
    uint32_t thread; /* serial, 0: unknown */
    int waited;      /* 1: a WAITED line; 0: a WAIT line */
};

struct monitor_table {
    struct lock lock;
    struct arena arena;
    struct lookup_key key;
    struct table names, rows;
    struct lookup name_index, row_index;
    struct monitor_table_line *lines;
    uint64_t line_first, line_end; /* numbers of the lines that wait to be written */
    uint64_t lines_lost;
    struct monitor_table_count lost, lost_total; /* since monitor_table_take(); since the start */
};

/** Errors: 0, -ENOMEM. */
int monitor_table_init(struct monitor_table *t, size_t budget);
void monitor_table_done(struct monitor_table *t);

/** The row for these values, added if it is new. 0: no memory. `name` and `frames` are copied. */
uint32_t monitor_table_row(struct monitor_table *t, int kind, const char *name, uint32_t thread,
                           const void *frames, uint32_t frame_bytes);
/** Count one contention of `ns` in a row; row 0 is the lost ones. */
void monitor_table_add(struct monitor_table *t, uint32_t row, uint64_t ns);
/** Add time of a contention that has not ended; the contention itself is not counted. */
void monitor_table_add_time(struct monitor_table *t, uint32_t row, uint64_t ns);
void monitor_table_add_line(struct monitor_table *t, int waited, const char *name, int64_t ms,
                            uint32_t thread);

/** Take out the oldest line. Returns 0 if there is none. */
int monitor_table_next_line(struct monitor_table *t, struct monitor_table_line *ret);
uint32_t monitor_table_rows(struct monitor_table *t);
/** The row `id`, 1..rows. Only its count and trace ever change. */
struct monitor_table_row *monitor_table_at(struct monitor_table *t, uint32_t id);
/** Take what was added to a row (0: what was lost) since the last call; the count starts at 0
 * again. */
struct monitor_table_count monitor_table_take(struct monitor_table *t, uint32_t id);
