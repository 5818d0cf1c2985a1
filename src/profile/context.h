/*
 * context.h - what threads worked for: keys that a program has named, and their values.
 *
 * A context has a value, or none, for each key: user "alice", action "load". Contexts are a part of
 * the model (profile_contexts()) and lie in its arena. They are interned and numbered from 1. Their
 * number is limited, because a key may have endlessly many values: a context that finds no room is
 * 0 and is counted. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"
#include "profile/lookup.h"
#include "profile/table.h"

struct arena;

/* The names of two keys by which formats know the ids of OpenTelemetry: 32 and 16 hexadecimal
 * digits.
 */
#define CONTEXT_TRACE_ID "trace_id"
#define CONTEXT_SPAN_ID "span_id"

enum {
    CONTEXT_KEYS = 16,
    CONTEXT_ROWS_MAX = 65536,
};

struct context_key {
    string_id name, about; /* `about` 0: the program gave no description */
};

/** The values by key number; 0: no value. */
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
/** The number of the key with this name; adds the key if there is none. Errors: -1: there are
 * CONTEXT_KEYS other keys. */
int context_add_key(struct context_set *s, string_id name, string_id about);
/** The number of the key with this name. Errors: -1: there is none. */
int context_find_key(const struct context_set *s, string_id name);
/** The context with these values, if it is there already; otherwise 0. */
context_id context_find(const struct context_set *s, const struct context_row *values);
/** The context with these values. Returns 0 if all values are 0, or if there is no room. */
context_id context_of(struct context_set *s, const struct context_row *values);
/** The value that a context has for a key; 0: none. `id` 0 is the context without values. */
string_id context_value(const struct context_set *s, context_id id, int key);
