/*
 * context.h - what threads worked for: the keys that a program has named, and their values.
 *
 * A context is a value, or none, for each key: user "alice", action "load". A part of the model
 * (profile_contexts()), in its arena; contexts are interned, and numbered from 1. Their number is
 * bounded, since the values of a key may never end: one that finds no room is 0, and counted.
 * Not thread-safe. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"
#include "profile/lookup.h"
#include "profile/table.h"

struct arena;

enum {
    CONTEXT_KEYS = 8,
    CONTEXT_ROWS_MAX = 65536,
};

struct context_key {
    string_id name, about; /* about 0: nothing was said */
};

/** By the numbers of keys; 0: none. */
struct context_row {
    string_id value[CONTEXT_KEYS];
};

struct context_set {
    struct arena *arena; /* the model's */
    const struct lookup_key *hash_key;
    struct context_key keys[CONTEXT_KEYS];
    uint32_t key_count;
    struct table rows;
    struct lookup index;
    uint64_t lost; /* events whose context found no room */
};

void context_init(struct context_set *s, struct arena *arena, const struct lookup_key *hash_key);
/** The number of the key of this name, a new one if there is none. Errors: -1: there are
 * CONTEXT_KEYS others. */
int context_add_key(struct context_set *s, string_id name, string_id about);
/** The same, but never made. Errors: -1: there is none. */
int context_find_key(const struct context_set *s, string_id name);
/** The context of these values; 0 if there is none among them, or no room. */
context_id context_of(struct context_set *s, const struct context_row *values);
/** The value that a context, 0 being none, has for a key; 0: none. */
string_id context_value(const struct context_set *s, context_id id, int key);
