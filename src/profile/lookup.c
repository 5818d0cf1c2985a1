/*
 * lookup.c - the hash tables of the model: see lookup.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/lookup.h"
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include "base/arena.h"

struct lookup_slot {
    uint32_t hash, row; /* `row` 0: the slot is free */
};

void lookup_key_init(struct lookup_key *key)
{
    if (getrandom(key, sizeof(*key), GRND_NONBLOCK) == (ssize_t)sizeof(*key))
        return;
    /* getrandom() may fail early at boot, or because a filter forbids it. An address and the clock
     * are still harder to predict than a constant. */
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    key->k0 = (uint64_t)(uintptr_t)key ^ (uint64_t)now.tv_nsec << 32;
    key->k1 = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u;
}

static uint64_t rotate(uint64_t v, int by)
{
    return v << by | v >> (64 - by);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

uint32_t lookup_hash(const struct lookup_key *key, const void *bytes, size_t len)
{
    uint64_t v[4] = {key->k0 ^ 0x736f6d6570736575u, key->k1 ^ 0x646f72616e646f6du,
                     key->k0 ^ 0x6c7967656e657261u, key->k1 ^ 0x7465646279746573u};
    const unsigned char *at = bytes;
    uint64_t word;
    size_t left = len;
    for (; left >= 8; left -= 8, at += 8) {
        memcpy(&word, at, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    word = 0;
    if (left > 0)
        memcpy(&word, at, left);
    word |= (uint64_t)len << 56;
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    uint64_t h = v[0] ^ v[1] ^ v[2] ^ v[3];
    return (uint32_t)(h ^ h >> 32);
}

uint32_t lookup_next(const struct lookup *l, uint32_t hash, uint32_t *at)
{
    if (!l->slots)
        return 0;
    /* The loop ends at a free slot; lookup_reserve() keeps at least one free. */
    for (;;) {
        const struct lookup_slot *slot = &l->slots[*at & l->mask];
        (*at)++;
        if (slot->row == 0 || slot->hash == hash)
            return slot->row;
    }
}

static void put(struct lookup_slot *slots, uint32_t mask, struct lookup_slot slot)
{
    uint32_t at = slot.hash;
    while (slots[at & mask].row != 0)
        at++;
    slots[at & mask] = slot;
}

int lookup_reserve(struct lookup *l, struct arena *a)
{
    uint64_t size = l->slots ? (uint64_t)l->mask + 1 : 0;
    if (l->used < size / 2)
        return 1;
    uint64_t wanted = size ? size * 2 : 256;
    struct lookup_slot *slots =
        wanted <= UINT64_C(1) << 31 ? arena_alloc(a, wanted * sizeof(*slots)) : NULL;
    if (!slots) /* the table becomes slower, and is used until it is nearly full */
        return l->used < size - size / 16;
    for (uint64_t i = 0; i < size; i++) {
        if (l->slots[i].row != 0)
            put(slots, (uint32_t)(wanted - 1), l->slots[i]);
    }
    l->slots = slots;
    l->mask = (uint32_t)(wanted - 1);
    return 1;
}

void lookup_add(struct lookup *l, uint32_t hash, uint32_t row)
{
    put(l->slots, l->mask, (struct lookup_slot){hash, row});
    l->used++;
}

void lookup_clear(struct lookup *l)
{
    if (l->slots)
        memset(l->slots, 0, ((size_t)l->mask + 1) * sizeof(*l->slots));
    l->used = 0;
}
