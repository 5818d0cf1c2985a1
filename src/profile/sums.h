/*
 * sums.h - the sums of a profile's events: one row for each trace, class, text and context of a
 * kind.
 *
 * A part of the model (profile.h): rows lie in its arena, are numbered from 1 in the order of their
 * first event, and never move. A file's tables become sums, too; what such a table says of its
 * total may be more than its rows, because tables leave out what is small.
 *
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
    uint64_t value[]; /* event_values() of them */
};

/** The sums of one kind of event. */
struct sums {
    struct table rows;
    struct lookup index;
    uint64_t total[EVENT_VALUES]; /* of all rows */
    uint64_t said;                /* of value[0], as tables say: rows they leave out, too */
    uint32_t tables;              /* tables that were read, empty ones too */
    bool is_rounded;              /* some of value[0] were read from shares with a few digits */
};

void sums_init(struct sums *s, enum event_kind kind);
/**
 * Adds the event to its row. Errors: 0; E_LIMIT: a total would need more than 64 bits; -ENOMEM: no
 * room for a row. Then nothing has changed.
 */
int sums_add(struct sums *s, struct arena *a, const struct lookup_key *key,
             const struct event *event);
/** The number of the event's row; 0: there is none. */
uint32_t sums_row(const struct sums *s, const struct lookup_key *key, const struct event *event);
/** Forgets rows and totals; their memory is used again. */
void sums_clear(struct sums *s);
/** Of value[0]: what tables said, or all rows where no table said so. */
uint64_t sums_whole(const struct sums *s);
/** The row of a trace alone, without class, text and context; NULL: none. */
const struct sum *sums_of_trace(const struct sums *s, const struct lookup_key *key, trace_id trace);
/** Row 1 .. s->rows.count. */
struct sum *sums_at(const struct sums *s, uint32_t row);
/** A row of sums of that kind as one event, which has no time and no thread. */
struct event sums_event(enum event_kind kind, const struct sum *sum);
