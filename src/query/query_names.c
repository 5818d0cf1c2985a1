/*
 * query_names.c - see query_names.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_names.h"
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/arena.h"
#include "profile/lookup.h"
#include "profile/table.h"

enum { ALIKE_MAX = 1000, FOLDED = 256, NUMBER = 16 };

struct query_names {
    struct arena *arena;
    struct lookup_key key;
    struct lookup by_name;
    struct table rows; /* const char * */
};

struct query_names *query_names_new(struct arena *arena)
{
    struct query_names *n = arena_alloc(arena, sizeof(*n));
    if (!n)
        return NULL;
    n->arena = arena;
    lookup_key_init(&n->key);
    table_init(&n->rows, sizeof(const char *));
    return n;
}

/* SQLite folds the letters of ASCII alone. Names that are alike in their first bytes only share a
 * hash. */
static uint32_t hash_of(const struct query_names *n, const char *name)
{
    char folded[FOLDED];
    size_t len = 0;
    for (; name[len] != '\0' && len < FOLDED; len++)
        folded[len] = (char)(name[len] >= 'A' && name[len] <= 'Z' ? name[len] + 32 : name[len]);
    return lookup_hash(&n->key, folded, len);
}

bool query_names_has(const struct query_names *n, const char *name)
{
    uint32_t hash = hash_of(n, name), at = hash;
    for (uint32_t row; (row = lookup_next(&n->by_name, hash, &at)) != 0;)
        if (sqlite3_stricmp(*(const char *const *)table_at(&n->rows, row), name) == 0)
            return true;
    return false;
}

const char *query_names_add(struct query_names *n, const char *name)
{
    size_t len = strlen(name), room = len + NUMBER;
    char *text = arena_alloc(n->arena, room);
    if (!text)
        return NULL;
    memcpy(text, name, len + 1);
    for (unsigned number = 2; query_names_has(n, text) && number < ALIKE_MAX; number++)
        snprintf(text + len, NUMBER, "#%u", number);
    if (query_names_has(n, text) || !lookup_reserve(&n->by_name, n->arena))
        return NULL;
    const char **row = table_add(&n->rows, n->arena);
    if (!row)
        return NULL;
    *row = text;
    lookup_add(&n->by_name, hash_of(n, text), n->rows.count);
    return text;
}
