/*
 * context.c - see context.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/context.h"
#include <stdbool.h>
#include <string.h>

void context_init(struct context_set *s, struct arena *arena, const struct lookup_key *hash_key)
{
    *s = (struct context_set){.arena = arena, .hash_key = hash_key};
    table_init(&s->rows, sizeof(struct context_row));
}

int context_find_key(const struct context_set *s, string_id name)
{
    for (uint32_t i = 0; i < s->key_count; i++)
        if (s->keys[i].name == name)
            return (int)i;
    return -1;
}

int context_add_key(struct context_set *s, string_id name, string_id about)
{
    int at = context_find_key(s, name);
    if (at >= 0 || s->key_count == CONTEXT_KEYS)
        return at;
    s->keys[s->key_count] = (struct context_key){name, about};
    return (int)s->key_count++;
}

static bool is_empty(const struct context_row *values)
{
    for (int i = 0; i < CONTEXT_KEYS; i++)
        if (values->value[i])
            return false;
    return true;
}

static context_id find(const struct context_set *s, const struct context_row *values, uint32_t hash)
{
    uint32_t at = hash;
    context_id id;
    while ((id = lookup_next(&s->index, hash, &at)) != 0)
        if (memcmp(table_at(&s->rows, id), values, sizeof(*values)) == 0)
            return id;
    return 0;
}

context_id context_find(const struct context_set *s, const struct context_row *values)
{
    return is_empty(values) ? 0
                            : find(s, values, lookup_hash(s->hash_key, values, sizeof(*values)));
}

context_id context_of(struct context_set *s, const struct context_row *values)
{
    uint32_t hash = lookup_hash(s->hash_key, values, sizeof(*values));
    struct context_row *row;
    context_id id = is_empty(values) ? 0 : find(s, values, hash);
    if (id || is_empty(values))
        return id;
    row = s->rows.count < CONTEXT_ROWS_MAX && lookup_reserve(&s->index, s->arena)
              ? table_add(&s->rows, s->arena)
              : NULL;
    if (!row) {
        s->lost++;
        return 0;
    }
    *row = *values;
    lookup_add(&s->index, hash, s->rows.count);
    return s->rows.count;
}

string_id context_value(const struct context_set *s, context_id id, int key)
{
    return id && key >= 0 ? ((const struct context_row *)table_at(&s->rows, id))->value[key] : 0;
}
