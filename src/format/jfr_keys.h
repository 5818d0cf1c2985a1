/*
 * jfr_keys.h - what the threads of a chunk's events worked for, as contexts of a profile.
 *
 * A recording of ours has them in a field "context", a structure with a text for each key. Who asks
 * for one key gets that; where the events of a file have no such key, a field of that name, or what
 * a path of names leads to, is as good: "eventThread.javaName"; or what an event around says.
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
    struct profile *profile; /* borrowed, as is the chunk */
    const struct jfr_chunk *chunk;
    const char *by;                /* the key that is wanted; NULL: all of them */
    const struct jfr_outer *outer; /* borrowed; NULL: nobody asks for a key */
    struct idmap known;            /* contexts by where their constants lie */
};

/** All zero is none. Done with a chunk, before the next one and at the end. */
void jfr_keys_done(struct jfr_keys *c);
void jfr_keys_begin(struct jfr_keys *c, struct profile *profile, const struct jfr_chunk *chunk,
                    const char *by, const struct jfr_outer *outer);
/** The context of an event; 0: it has none, or there was no memory. */
context_id jfr_keys_of(struct jfr_keys *c, const struct jfr_value *event);
