/*
 * sums.h - the sums of a profile's events of one kind: one row for each trace, class, text and
 * context.
 *
 * A part of the model (profile.h). Rows lie in its arena, are numbered from 1 in the order of their
 * first event, and never move. The source of a profile may state a total that is larger than the
 * sum of the rows, because it left out small rows.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/event.h"
#include "profile/lookup.h"
#include "profile/table.h"

struct arena;

struct sum {
    trace_id trace;
    class_id klass;
    string_id text;
    context_id context;
    uint64_t value[]; /* kind_value_count() values */
};

/** The sums of one kind of event. */
struct sums {
    struct table rows;
    struct lookup index;
    uint64_t total[KIND_VALUES]; /* sums over all rows */
    /* the total of value[0] that the source states, which includes rows that it left out; 0: it
     * states none */
    uint64_t said;
    bool is_measured; /* the source measured this kind, though perhaps nothing happened */
};

void sums_init(struct sums *s, enum kind_id kind);
/**
 * Add the event to its row.
 *
 * Errors:  0; E_LIMIT: a total would need more than 64 bits; -ENOMEM: no room for a row. After an
 *          error nothing has changed.
 */
int sums_add(struct sums *s, struct arena *a, const struct lookup_key *key,
             const struct event *event);
/** The number of the event's row; 0: there is none. */
uint32_t sums_row(const struct sums *s, const struct lookup_key *key, const struct event *event);
/** Remove all rows and totals; their memory is used again. */
void sums_clear(struct sums *s);
/** The total of value[0]: what the source states, or the sum of all rows if it states none. */
uint64_t sums_whole(const struct sums *s);
/** The row of a trace that has no class, text and context; NULL: none. */
const struct sum *sums_of_trace(const struct sums *s, const struct lookup_key *key, trace_id trace);
/** Row 1 to s->rows.count. */
struct sum *sums_at(const struct sums *s, uint32_t row);
/** A row of the sums of this kind as one event, without a time and a thread. */
struct event sums_event(enum kind_id kind, const struct sum *sum);
