/*
 * typed_events.h - single events of types of their own: when each was, what it belongs to, and the
 * values of its fields.
 *
 * A part of the model (profile_typed()), in its arena, for those who draw time; of readers that
 * were asked for it. At most TYPED_EVENTS_KEPT of a type are kept. Where there are more, those that
 * took longest are; of what took equally long, as all that has no duration, one of two is left out
 * again and again, so that what is kept is from all of the time. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/custom.h"
#include "profile/event.h"
#include "profile/lookup.h"
#include "profile/table.h"

struct arena;

enum {
    TYPED_EVENTS_KEPT = 50000,
    TYPED_EVENTS_VARIANTS = 64, /* types of one name that differ in their fields */
};

/** What texts and classes the values refer to is of the same model. */
struct typed_event {
    uint64_t time_ns, duration_ns; /* since the epoch: when it began */
    trace_id trace;                /* and of which thread: that of the trace */
    context_id context;
    union custom_value values[];
};

/** A type, and what became of its events. */
struct typed_type {
    struct custom_type type;
    uint32_t kinds;    /* bit N: sums of kind N have some of its events, too */
    struct table kept; /* of struct typed_event, in the order in which they came */
    uint64_t count;    /* also those that were not kept */
    /* What is kept: what took longer than `bound_ns`, and one of `stride` of what took so long. */
    uint64_t bound_ns, stride, equal;
};

struct typed_events {
    struct arena *arena; /* the model's */
    const struct lookup_key *hash_key;
    struct table types;
    struct lookup by_name; /* without the number behind it */
    uint32_t kinds;        /* of all types that have events */
    uint64_t first_ns;     /* when the earliest one began; 0: there is none */
    uint64_t lost;         /* that found no room, or whose type did not */
};

void typed_events_init(struct typed_events *t, struct arena *arena,
                       const struct lookup_key *hash_key);
/**
 * The type of this name with these fields; a new one, a copy, if there is none: where another one
 * has the name, it is called NAME#2 and so on, up to TYPED_EVENTS_VARIANTS. NULL: no room. The
 * pointer stays valid.
 */
struct typed_type *typed_events_type(struct typed_events *t, const struct custom_type *type,
                                     uint32_t kinds);
/**
 * Counts an event that began at `time_ns`. Where it is kept, its row, which the caller fills; its
 * values are what an earlier one had. NULL: it is not. The pointer is valid until the next add.
 */
struct typed_event *typed_events_add(struct typed_events *t, struct typed_type *type,
                                     uint64_t time_ns, uint64_t duration_ns);
/** Type 1 .. typed_events_count(), in the order in which they came. */
uint32_t typed_events_count(const struct typed_events *t);
struct typed_type *typed_events_at(const struct typed_events *t, uint32_t number);
/** Event 1 .. type->kept.count. */
const struct typed_event *typed_events_kept(const struct typed_type *type, uint32_t number);
