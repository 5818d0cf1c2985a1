/*
 * query_event.h - how the rows of the tables of events are read: of a table, or of all in one pass.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "query/query_jfr.h"

struct jfr_jvm;
struct query;
struct query_event_walk;
struct query_value;

/** Adds the tables of events (query_jfr.h). Errors: 0; -ENOMEM. */
int query_event_open(struct query *q);

/** The value of the column `event`. */
struct query_event_mark {
    uint64_t thread; /* jfr_place.thread */
    int64_t start_ns, end_ns;
};

/**
 * Begins one pass through the events of all types and inputs, with their constants. Errors: 0;
 * -ENOMEM. Owner: query_event_walk_close(), also after an error.
 */
int query_event_walk_open(struct query *q, struct query_event_walk **ret_walk);
/** Goes to the next event; *ret_type is its type. Returns 1; 0: there are no more; negative. */
int query_event_walk_next(struct query_event_walk *w, const struct query_jfr_type **ret_type);
/** Gives a column of the current event; `to` is NULL so far. Owner: query_value_done(). */
void query_event_walk_give(struct query_event_walk *w, uint32_t column, struct query_value *to);
/** Gives what can be asked of an event of any type. Owner: as above. */
void query_event_walk_common(struct query_event_walk *w, enum query_jfr_common common,
                             struct query_value *to);
/** The JVM that wrote the current event; its pid is 0 if that is unknown. */
const struct jfr_jvm *query_event_walk_jvm(struct query_event_walk *w);
void query_event_walk_close(struct query_event_walk *w);
