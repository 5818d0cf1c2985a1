/*
 * frame_cache.c - see frame_cache.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frame_cache.h"

struct row {
    uint64_t method;
    int32_t bci;
    frame_id frame;
};

void frame_cache_init(struct frame_cache *c, uint64_t bytes)
{
    arena_init(&c->arena, bytes);
    lookup_key_init(&c->key);
    frame_cache_forget(c);
}

void frame_cache_forget(struct frame_cache *c)
{
    arena_reset(&c->arena);
    table_init(&c->rows, sizeof(struct row));
    c->index = (struct lookup){0};
}

void frame_cache_done(struct frame_cache *c)
{
    arena_done(&c->arena);
    *c = (struct frame_cache){.index = {0}};
}

static uint32_t hash_of(const struct frame_cache *c, uint64_t method, int32_t bci)
{
    uint64_t key[2] = {method, (uint64_t)(int64_t)bci};

    return lookup_hash(&c->key, key, sizeof(key));
}

frame_id frame_cache_find(const struct frame_cache *c, uint64_t method, int32_t bci)
{
    uint32_t hash = hash_of(c, method, bci), at = hash, id;

    while ((id = lookup_next(&c->index, hash, &at)) != 0) {
        const struct row *row = table_at(&c->rows, id);

        if (row->method == method && row->bci == bci)
            return row->frame;
    }
    return 0;
}

static struct row *add_row(struct frame_cache *c)
{
    return lookup_reserve(&c->index, &c->arena) ? table_add(&c->rows, &c->arena) : NULL;
}

frame_id frame_cache_add(struct frame_cache *c, uint64_t method, int32_t bci, frame_id frame)
{
    struct row *row;

    if (!frame)
        return 0;
    row = add_row(c);
    if (!row) {
        frame_cache_forget(c);
        row = add_row(c);
    }
    if (!row)
        return frame;
    *row = (struct row){method, bci, frame};
    lookup_add(&c->index, hash_of(c, method, bci), c->rows.count);
    return frame;
}
