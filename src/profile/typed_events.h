/*
 * typed_events.h - single events with their own fields: when each happened, what it belongs to, and
 * its values.
 *
 * A part of the model (profile_typed()) in its arena, for programs that draw time; filled only by
 * readers that keep times. At most TYPED_EVENTS_KEPT events of a type are kept. If there are more,
 * the longest are kept. Among events of equal length (for example all without a duration) every
 * second one is left out, again and again, so that the kept events cover the whole time. Not
 * thread-safe.
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
    TYPED_EVENTS_VARIANTS = 64, /* types with one name that differ in their fields */
};

/** Texts and classes in the values belong to the same model. */
struct typed_event {
    uint64_t time_ns, duration_ns; /* `time_ns`: when it began, since the epoch */
    trace_id trace;                /* its thread is the thread of the trace */
    context_id context;
    union custom_value values[];
};

/** A type, and what was done with its events. */
struct typed_type {
    struct custom_type type;
    uint32_t kinds; /* bit N: some of its events are also in the sums of kind N */
    /* of struct typed_event, in the order in which they were added */
    struct table kept;
    uint64_t count; /* all events, also those that were not kept */
    /* An event is kept if it took longer than `bound_ns`. Of those that took exactly `bound_ns` one
     * in `stride` is kept. */
    uint64_t bound_ns, stride, equal;
};

struct typed_events {
    struct arena *arena; /* the model's */
    const struct lookup_key *hash_key;
    struct table types;
    struct lookup by_name; /* by the name without "#2" */
    uint32_t kinds;        /* the kinds of all types that have events, as bits */
    uint64_t first_ns;     /* when the earliest event began; 0: there is none */
    /* events that found no room, or whose type found none */
    uint64_t lost;
};

void typed_events_init(struct typed_events *t, struct arena *arena,
                       const struct lookup_key *hash_key);
/**
 * The type with this name and these fields; adds a copy if there is none. If another type has the
 * name, the new one is called NAME#2 and so on, up to TYPED_EVENTS_VARIANTS. NULL: no room. The
 * pointer stays valid.
 */
struct typed_type *typed_events_type(struct typed_events *t, const struct custom_type *type,
                                     uint32_t kinds);
/**
 * Count an event that began at `time_ns`. If the event is kept, returns its row, which the caller
 * fills; its values hold old data until then. NULL: the event is not kept. The pointer is valid
 * until the next add.
 */
struct typed_event *typed_events_add(struct typed_events *t, struct typed_type *type,
                                     uint64_t time_ns, uint64_t duration_ns);
/** Type 1 to typed_events_count(), in the order in which they were added. */
uint32_t typed_events_count(const struct typed_events *t);
struct typed_type *typed_events_at(const struct typed_events *t, uint32_t number);
/** Event 1 to type->kept.count. */
const struct typed_event *typed_events_kept(const struct typed_type *type, uint32_t number);
