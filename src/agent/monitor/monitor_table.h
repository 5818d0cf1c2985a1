/*
 * monitor_table.h - contention and waits, taken down by the threads that meet them.
 *
 * An event comes on a thread that blocks, or that holds what others wait for: it must not wait for
 * a dump that is being written. So it only enters here, under a lock that is held for moments and
 * never over a call of the VM; whoever has the agent's lock writes the lines and turns the frames
 * into traces. Memory is bounded: what does not fit is counted in `lost`. Knows no JVM.
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

/** Where a class of monitors was contended. What stands here never moves. */
struct monitor_table_row {
    const char *name;   /* of the class, one pointer a name */
    int kind;           /* the caller's */
    uint32_t thread;    /* serial, 0: any */
    const void *frames; /* as they came */
    uint32_t frame_bytes;
    struct monitor_table_count count; /* since monitor_table_take() */
    trace_id trace;                   /* for whoever turns frames into traces; 0 not yet */
};

/** One line of the file. */
struct monitor_table_line {
    const char *name;
    int64_t ms;
    uint32_t thread; /* serial, 0: unknown */
    int waited;      /* WAITED, else WAIT */
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
    struct monitor_table_count lost, lost_total; /* since take; since the start */
};

/** Errors: 0, -ENOMEM. */
int monitor_table_init(struct monitor_table *t, size_t budget);
void monitor_table_done(struct monitor_table *t);

/** The row of all five, made if it is new. 0: no memory. `name` and `frames` are copied. */
uint32_t monitor_table_row(struct monitor_table *t, int kind, const char *name, uint32_t thread,
                           const void *frames, uint32_t frame_bytes);
/** One more contention of a row, or of 0, of `ns`. */
void monitor_table_add(struct monitor_table *t, uint32_t row, uint64_t ns);
/** Time of a contention that has not ended, and is none more yet. */
void monitor_table_add_time(struct monitor_table *t, uint32_t row, uint64_t ns);
void monitor_table_add_line(struct monitor_table *t, int waited, const char *name, int64_t ms,
                            uint32_t thread);

/** The oldest line, taken out. Returns 0 when there is none. */
int monitor_table_next_line(struct monitor_table *t, struct monitor_table_line *ret);
uint32_t monitor_table_rows(struct monitor_table *t);
/** The row `id`, 1..rows. All but count and trace never changes. */
struct monitor_table_row *monitor_table_at(struct monitor_table *t, uint32_t id);
/** What was added to a row (0: what was lost) since the last time; it starts again at 0. */
struct monitor_table_count monitor_table_take(struct monitor_table *t, uint32_t id);
