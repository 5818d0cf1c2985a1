/*
 * wordset.c - see wordset.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/wordset.h"
#include <string.h>

void wordset_init(struct wordset *s)
{
    *s = (struct wordset){0};
    arena_init(&s->arena, SIZE_MAX);
    lookup_key_init(&s->key);
    table_init(&s->rows, sizeof(struct wordset_row));
}

void wordset_done(struct wordset *s)
{
    arena_done(&s->arena);
}

uint32_t wordset_add(struct wordset *s, const uint32_t *words, uint32_t count)
{
    size_t bytes = count * sizeof(*words);
    uint32_t hash = lookup_hash(&s->key, words, bytes), at = hash, number;
    struct wordset_row *row;
    uint32_t *copy;
    while ((number = lookup_next(&s->index, hash, &at)) != 0) {
        row = table_at(&s->rows, number);
        if (row->count == count && memcmp(row->words, words, bytes) == 0)
            return number;
    }
    copy = arena_alloc(&s->arena, bytes + 1);
    if (!copy || !lookup_reserve(&s->index, &s->arena))
        return 0;
    row = table_add(&s->rows, &s->arena);
    if (!row)
        return 0;
    memcpy(copy, words, bytes);
    *row = (struct wordset_row){copy, count};
    lookup_add(&s->index, hash, s->rows.count);
    return s->rows.count;
}

uint32_t wordset_count(const struct wordset *s)
{
    return s->rows.count;
}

const struct wordset_row *wordset_at(const struct wordset *s, uint32_t number)
{
    return table_at(&s->rows, number);
}
