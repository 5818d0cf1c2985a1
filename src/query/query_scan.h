/*
 * query_scan.h - goes through the events of all JFR inputs, and reads those fields that are asked
 * for.
 *
 * Events come in the order of the files. A field is found by skipping the fields in front of it,
 * and the places of fields are kept for the event, so no field is skipped twice. The constants of a
 * chunk (texts, classes, threads, stacks) are read only if the query needs any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/feed.h"
#include "format/idmap.h"
#include "format/jfr_stacks.h"
#include "jfr/jfr_file.h"
#include "query/query_threads.h"

struct jfr_value;
struct query;
struct query_jfr_type;

/** Which events are wanted. */
struct query_scan_wants {
    const struct query_jfr_type *only; /* NULL: events of all types */
    uint8_t *types;         /* by number of type: not 0, it is wanted; NULL: all; malloc'ed */
    int64_t from_ns, to_ns; /* when they begin; both are included */
    char *thread;           /* the name of their thread; NULL: any; malloc'ed */
    bool with_constants;
};

/** The fields that all types have, by their numbers in a type of a chunk; -1: it has none. */
struct query_scan_bind {
    const struct jfr_type *type;
    const struct query_jfr_type *known; /* NULL: not wanted */
    int32_t start, duration, thread, stack, bytes;
};

/** The places of the fields of the current event. */
struct query_scan_places {
    const uint8_t **at;
    uint32_t known, room;
};

struct query_scan {
    struct query *query;
    struct query_scan_wants wants;
    struct jfr_file file;
    struct feed feed;
    struct jfr_record record;           /* the current event */
    const struct query_scan_bind *bind; /* its type */
    struct query_scan_places places;
    uint32_t input; /* the number of the current input; 0: none */
    bool is_open;
    uint64_t chunk;                /* counts the chunks of all inputs */
    struct query_scan_bind *binds; /* by jfr_type.number */
    uint32_t bind_room;
    struct jfr_stacks stacks;
    bool has_stacks;
    struct idmap texts, threads; /* by place of a constant; by key of a thread */
    uint64_t jvm;                /* jfr_place_jvm(); only with constants */
    uint8_t *thread_fits;        /* by number of a thread: 1 it is wanted, 2 it is not */
    uint32_t thread_room;
};

/** Begins. Takes over what `wants` has allocated. Owner: query_scan_end(). */
void query_scan_begin(struct query_scan *s, struct query *q, const struct query_scan_wants *wants);
/** Goes to the next event that is wanted. Returns 1; 0: there are no more; -ENOMEM; -EINTR: the
 * time is over. */
int query_scan_next(struct query_scan *s);
/** Frees everything. Does nothing for a zeroed struct. */
void query_scan_end(struct query_scan *s);

/** Reads a field of the current event by its number; null if the type has no such field (-1). */
void query_scan_field(struct query_scan *s, int32_t number, struct jfr_value *ret_value);
/** When the current event began; INT64_MIN: unknown. */
int64_t query_scan_start_ns(struct query_scan *s);
/** How long it took; 0 for a moment. */
int64_t query_scan_duration_ns(struct query_scan *s);
/** The number of a thread (query_threads.h); 0: none. */
uint32_t query_scan_thread(struct query_scan *s, const struct jfr_value *thread);
/** What makes rows of the model from the chunk's constants. */
struct jfr_stacks *query_scan_stacks(struct query_scan *s);
