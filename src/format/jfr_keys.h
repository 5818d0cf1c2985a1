/*
 * jfr_keys.h - what the threads of a chunk's events worked for, as contexts of a profile.
 *
 * A recording of hprof has a field "context", a structure with a text for each key. If the user
 * asks for one key, the value of this key is read. If the events have no such key, the name may
 * also be that of a field, or a path of fields: "eventThread.javaName". Otherwise the value comes
 * from an event that encloses the event (jfr_outer.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "format/idmap.h"
#include "profile/ids.h"

struct jfr_chunk;
struct jfr_outer;
struct jfr_value;
struct profile;

struct jfr_keys {
    struct profile *profile; /* borrowed, like the chunk */
    const struct jfr_chunk *chunk;
    const char *by;                /* the key that is wanted; NULL: all keys */
    const struct jfr_outer *outer; /* borrowed; NULL: `by` is NULL */
    struct idmap known;            /* contexts by the address of their constants */
};

/** All zero: nothing to free. Call it after each chunk, before the next one begins. */
void jfr_keys_done(struct jfr_keys *c);
void jfr_keys_begin(struct jfr_keys *c, struct profile *profile, const struct jfr_chunk *chunk,
                    const char *by, const struct jfr_outer *outer);
/** The context of an event; 0: the event has none, or no memory. */
context_id jfr_keys_of(struct jfr_keys *c, const struct jfr_value *event);
