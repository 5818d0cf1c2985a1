/*
 * jfr_query.h - collects the rows of a named view from the events of a file, and prints them and
 * the query. Events of several types come into one row if they have the same key; a row has a cell
 * for each column.
 *
 * Several queries may take the events of a file in one pass. A file may hold several JVMs. So if
 * the key of a row has an id that is unique only within a JVM, the JVM is a part of the key too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jfrtool/jfr_column.h"
#include "jfrtool/keyset.h"

struct jfr_cell;
struct jfr_chunk;
struct jfr_fit;
struct jfr_printer;
struct jfr_record;
struct jfr_type;
struct jfr_where_set;
struct tabular_out;

/** A row of jfr_views.def. */
struct jfr_query_named {
    const char *name, *title;
    const char *from;    /* sources, separated by commas: struct jfr_column_source */
    const char *columns; /* columns, separated by commas: struct jfr_column */
    /* The fields that are the key of a row; '#' before a field: the id is unique only within a JVM.
     * Empty: all events are one row, or each event is a row if no column sums anything. */
    const char *group;
    /* "-2,+1": sort by column 2, the largest first, then by column 1. Empty: in the order of the
     * events. */
    const char *order;
    uint32_t limit; /* number of rows, unless the user asks for more; 0: all */
    bool is_form;   /* print one row, with a line for each column */
};

struct jfr_query_row {
    struct jfr_cell *cells; /* one cell for each column */
    bool is_wanted;         /* has a wanted event, not only events that belong to one */
};

/** The address of a key in the current chunk, and the key's row. */
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
    struct keyset keys; /* keys of the rows, by the rows' numbers; empty if each event is a row */
    struct jfr_query_row *rows;
    size_t count, room;
    uint32_t *wanted; /* by jfr_type.number: bits of the sources with its events */
    struct jfr_query_place places[JFR_QUERY_PLACES];
    uint64_t jvm; /* the JVM of the current chunk */
    uint64_t events;
    int error; /* 0 or -ENOMEM */
};

void jfr_query_init(struct jfr_query *q, const struct jfr_query_named *named);
void jfr_query_done(struct jfr_query *q);
/** To be called before the first event of a chunk, which comes from this JVM. */
void jfr_query_begin_chunk(struct jfr_query *q, const struct jfr_chunk *chunk, uint64_t jvm);
/** Whether the query takes events of this type of the current chunk. */
bool jfr_query_wants(const struct jfr_query *q, const struct jfr_type *type);
/** Whether rows join events of several types, and one type may have a field that others lack. */
bool jfr_query_is_join(const struct jfr_query *q);
/** Adds an event. `is_wanted` false: the event is only shown if its row has a wanted event. */
void jfr_query_add(struct jfr_query *q, struct jfr_printer *o, const struct jfr_type *type,
                   const struct jfr_record *record, bool is_wanted);
/** To be called after the last event of a chunk, while the chunk is open. */
void jfr_query_end_chunk(struct jfr_query *q, struct jfr_printer *o);
/** Prints the title and `top` rows; 0: as many rows as the query itself shows. Numbers are aligned
 * to the right. `out` gets the rows, if it wants data or another order. Errors: 0; -ENOMEM;
 * E_NOT_FOUND after saying that there is no such column. */
int jfr_query_put(struct jfr_query *q, struct jfr_printer *o, const struct jfr_fit *layout,
                  uint32_t top, struct tabular_out *out);
/** Writes the query of a view in words; `where` holds additional conditions. */
void jfr_query_show(const struct jfr_query_named *view, const struct jfr_where_set *where,
                    struct jfr_printer *o);
/** Writes the query of a table of events. A part that the user did not give is NULL. */
void jfr_query_show_events(const char *events, const char *group, const char *sum,
                           const struct jfr_where_set *where, uint32_t top, struct jfr_printer *o);
