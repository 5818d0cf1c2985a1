/*
 * query_event.h - how the rows of the tables of events are read.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct query;

/** Adds the tables of events (query_jfr.h). Errors: 0; -ENOMEM. */
int query_event_open(struct query *q);

/** The value of the column `event`. */
struct query_event_mark {
    uint64_t thread; /* jfr_place.thread */
    int64_t start_ns, end_ns;
};
