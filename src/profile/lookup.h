/*
 * lookup.h - from a hash to the numbers of the rows that have it.
 *
 * An open-addressing table of (hash, row number) in an arena; the caller compares the rows. The
 * hash is SipHash-1-3 under a key drawn at random, so that no file can be made whose names collide.
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
 * The next row number stored under `hash`, 0 at the end. `*at` is the place of the search: start
 * with the hash itself.
 */
uint32_t lookup_next(const struct lookup *l, uint32_t hash, uint32_t *at);
/** Make sure that the next lookup_add() succeeds. Returns 0 when the arena is used up, else 1. */
int lookup_reserve(struct lookup *l, struct arena *a);
/** Store `row`, not 0, under `hash`. Only after lookup_reserve(). */
void lookup_add(struct lookup *l, uint32_t hash, uint32_t row);
/** Forget all rows; the memory stays. */
void lookup_clear(struct lookup *l);
