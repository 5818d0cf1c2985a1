/*
 * jfr_query.h - what a view with a name has of a file: events of several types, put together in
 * rows by what they have in common, each with a cell for each column.
 *
 * Several of them may take the events of a file in one pass. What an id of a JVM's is part of the
 * key of a row, the JVM is, too: a file may have several.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/jfr_column.h"
#include "cli/keyset.h"

struct jfr_cell;
struct jfr_chunk;
struct jfr_printer;
struct jfr_record;
struct jfr_type;

/** A row of jfr_views.def. */
struct jfr_query_named {
    const char *name, *title;
    const char *from;    /* struct jfr_column_source, commas between them */
    const char *columns; /* struct jfr_column, likewise */
    const char *group; /* fields of which each combination is a row, "#" before the ids of a JVM's;
                        * empty: all events are one row, or where no column sums anything each */
    const char *order; /* "-2,+1": by column 2, the largest first, and then by column 1; empty: as
                        * rows came */
    uint32_t limit;    /* so many rows unless more are asked for; 0: all */
    bool is_form;      /* a line for each column, of one row */
};

struct jfr_query_row {
    struct jfr_cell *cells; /* one for each column */
    bool is_wanted;         /* an event that is wanted is in it, not only some that belong to it */
};

/** Where a key was read from, in the present chunk. */
struct jfr_query_place {
    const uint8_t *place;
    size_t row;
};

enum { JFR_QUERY_PLACES = 256 };

struct jfr_query {
    const struct jfr_query_named *named;
    struct jfr_column_source sources[JFR_COLUMN_SOURCES];
    struct jfr_column columns[JFR_COLUMN_MAX];
    uint32_t source_count, column_count;
    struct keyset keys; /* of the rows, by their numbers; empty where each event is a row */
    struct jfr_query_row *rows;
    size_t count, room;
    uint32_t *wanted; /* by jfr_type.number: the sources that have its events, bits */
    struct jfr_query_place places[JFR_QUERY_PLACES];
    uint64_t jvm; /* of the chunk */
    uint64_t events;
    int error; /* 0 or -ENOMEM */
};

void jfr_query_init(struct jfr_query *q, const struct jfr_query_named *named);
void jfr_query_done(struct jfr_query *q);
/** Before the first event of a chunk, which is of that JVM. */
void jfr_query_begin_chunk(struct jfr_query *q, const struct jfr_chunk *chunk, uint64_t jvm);
/** Whether it takes events of that type of the present chunk. */
bool jfr_query_wants(const struct jfr_query *q, const struct jfr_type *type);
/** Whether its rows join events of several types, of which one may have a field that others lack.
 */
bool jfr_query_is_join(const struct jfr_query *q);
/** `is_wanted` false: it belongs to a row that is shown if another event of the row is wanted. */
void jfr_query_add(struct jfr_query *q, struct jfr_printer *o, const struct jfr_type *type,
                   const struct jfr_record *record, bool is_wanted);
/** Behind the last event of a chunk, which is still open. */
void jfr_query_end_chunk(struct jfr_query *q, struct jfr_printer *o);
