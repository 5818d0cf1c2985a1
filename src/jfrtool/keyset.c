/*
 * keyset.c - see keyset.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/keyset.h"
#include <string.h>

struct key {
    const char *bytes;
    size_t len;
};

void keyset_init(struct keyset *s)
{
    *s = (struct keyset){0};
    arena_init(&s->arena, SIZE_MAX);
    lookup_key_init(&s->secret);
    table_init(&s->keys, sizeof(struct key));
}

void keyset_done(struct keyset *s)
{
    arena_done(&s->arena);
}

static uint32_t add(struct keyset *s, uint32_t hash, const char *bytes, size_t len)
{
    char *copy = arena_alloc(&s->arena, len + 1);
    struct key *key =
        copy && lookup_reserve(&s->index, &s->arena) ? table_add(&s->keys, &s->arena) : NULL;
    if (!key)
        return 0;
    if (len > 0)
        memcpy(copy, bytes, len);
    *key = (struct key){copy, len};
    lookup_add(&s->index, hash, s->keys.count);
    return s->keys.count;
}

uint32_t keyset_number(struct keyset *s, const char *bytes, size_t len)
{
    uint32_t hash = lookup_hash(&s->secret, bytes, len), at = hash, number;
    while ((number = lookup_next(&s->index, hash, &at)) != 0) {
        const struct key *key = table_at(&s->keys, number);
        if (key->len == len && (len == 0 || memcmp(key->bytes, bytes, len) == 0))
            return number;
    }
    return add(s, hash, bytes, len);
}

const char *keyset_at(const struct keyset *s, uint32_t number)
{
    return ((const struct key *)table_at(&s->keys, number))->bytes;
}
