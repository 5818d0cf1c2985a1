/*
 * jfr_keys.h - what the threads of a chunk's events worked for, as contexts of a profile.
 *
 * A recording of hprof has a field "context", a structure with a text for each key. If the user
 * asks for one key, the value of this key is read. If the events have no such key, the name may
 * also be that of a field, or a path of fields: "eventThread.javaName". Otherwise the value comes
 * from an event that encloses the event.
 *
 * An event encloses another event of the same thread if it began before and ended after that event.
 * The innermost enclosing event that has the wanted field counts. The user names the field with its
 * event ("Trace.user"), or alone if the field is marked as Contextual (JDK 25). An enclosing event
 * ends later than the events within it, so it is written behind them. For this reason the whole
 * file is read once before the events are read.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "format/idmap.h"
#include "jfr/jfr_around.h"
#include "profile/ids.h"

struct feed;
struct jfr_chunk;
struct jfr_file;
struct jfr_value;
struct profile;

/** All zero: nothing was read. Owner: jfr_around_done() of `spans`. */
struct jfr_keys_outer {
    struct jfr_around spans;
    bool is_there; /* a type of events has the wanted field */
    bool has_all;  /* the whole file was read for this field */
    uint64_t jvm;  /* jfr_place_jvm() of the chunk whose events are asked for */
};

/** Reads the whole file if it lies in memory; does nothing for a stream. Errors: 0, -ENOMEM. */
int jfr_keys_outer_read(struct jfr_keys_outer *o, const struct feed *feed, const char *by);
/**
 * Call it before the events of a chunk are read. Reads the enclosing events of this chunk, unless
 * those of the whole file were read already. Errors: 0, -ENOMEM.
 */
int jfr_keys_outer_begin(struct jfr_keys_outer *o, struct jfr_file *f, const char *by);
/** The text that the enclosing event has for an event of the chunk; NULL: there is none. */
const char *jfr_keys_outer_of(const struct jfr_keys_outer *o, const struct jfr_chunk *c,
                              const struct jfr_value *event);

struct jfr_keys {
    struct profile *profile; /* borrowed, like the chunk */
    const struct jfr_chunk *chunk;
    const char *by;                     /* the key that is wanted; NULL: all keys */
    const struct jfr_keys_outer *outer; /* borrowed; NULL: `by` is NULL */
    struct idmap known;                 /* contexts by the address of their constants */
};

/** All zero: nothing to free. Call it after each chunk, before the next one begins. */
void jfr_keys_done(struct jfr_keys *c);
void jfr_keys_begin(struct jfr_keys *c, struct profile *profile, const struct jfr_chunk *chunk,
                    const char *by, const struct jfr_keys_outer *outer);
/** The context of an event; 0: the event has none, or no memory. */
context_id jfr_keys_of(struct jfr_keys *c, const struct jfr_value *event);
