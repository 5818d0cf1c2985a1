/*
 * lookup.h - a hash table that finds row numbers by a hash.
 *
 * It is an open-addressing table of (hash, row number) in an arena; the caller compares the rows.
 * The hash is SipHash-1-3 with a random key, so nobody can make a file whose names collide.
 * Source: Aumasson, Bernstein, "SipHash: a fast short-input PRF", 2012.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct arena;
struct lookup_slot;

struct lookup_key {
    uint64_t k0, k1;
};

struct lookup {
    struct lookup_slot *slots;
    uint32_t mask; /* number of slots - 1 */
    uint32_t used;
};

void lookup_key_init(struct lookup_key *key);
uint32_t lookup_hash(const struct lookup_key *key, const void *bytes, size_t len);

/**
 * The next row number that was stored with `hash`; 0 at the end. `*at` is the position of the
 * search; it begins with the hash itself.
 */
uint32_t lookup_next(const struct lookup *l, uint32_t hash, uint32_t *at);
/** Make sure that the next lookup_add() succeeds. Returns 1; 0: the arena is used up. */
int lookup_reserve(struct lookup *l, struct arena *a);
/** Store `row` (not 0) with `hash`. lookup_reserve() must have returned 1 before. */
void lookup_add(struct lookup *l, uint32_t hash, uint32_t row);
/** Remove all rows; the memory is kept. */
void lookup_clear(struct lookup *l);
