/*
 * jfr_shared_types.c - see jfr_shared_types.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_shared_types.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 256 };

/* The place of the row with this name, or the place where such a row belongs. */
static uint32_t place_of(const struct jfr_shared_types *s, const char *name, bool *ret_is_there)
{
    uint32_t low = 0, high = s->count;
    *ret_is_there = false;
    while (low < high && !*ret_is_there) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(name, s->rows[middle].name);
        if (order == 0) {
            low = middle;
            *ret_is_there = true;
        } else if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static int insert(struct jfr_shared_types *s, uint32_t at, const char *name, uint64_t id)
{
    char *copy;
    if (s->count == s->room) {
        uint32_t room = s->room ? 2 * s->room : ROOM_MIN;
        struct jfr_shared_type *rows = realloc(s->rows, room * sizeof(*rows));
        if (!rows)
            return -ENOMEM;
        s->rows = rows;
        s->room = room;
    }
    copy = strdup(name);
    if (!copy)
        return -ENOMEM;
    memmove(&s->rows[at + 1], &s->rows[at], (s->count++ - at) * sizeof(*s->rows));
    s->rows[at] = (struct jfr_shared_type){copy, id};
    return 0;
}

/* Whether a number is used in this chunk already. Two types of one chunk may have the same name,
 * for example from two class loaders. Only one of them gets the shared number. */
static bool is_taken(const struct jfr_shared_types *s, uint64_t id)
{
    for (uint32_t i = 0; i < JFR_METADATA_NEAR; i++)
        if (s->instead[i] == id)
            return true;
    return false;
}

static int add_type(struct jfr_shared_types *s, const struct jfr_type *type,
                    const struct jfr_renumber *n)
{
    bool is_there;
    uint32_t at = place_of(s, type->name, &is_there);
    uint64_t id = n ? jfr_renumber_type(n, type->id) : type->id;
    if (!is_there)
        return insert(s, at, type->name, id);
    if (n && type->id < JFR_METADATA_NEAR && s->rows[at].id != id && !is_taken(s, s->rows[at].id))
        s->instead[type->id] = s->rows[at].id;
    return 0;
}

int jfr_shared_types_add(struct jfr_shared_types *s, const struct jfr_chunk *c,
                         struct jfr_renumber *n)
{
    int error = 0;
    memset(s->instead, 0, sizeof(s->instead));
    if (n)
        n->instead = NULL;
    for (uint32_t i = 0; i < c->metadata.type_count && error == 0; i++)
        if (jfr_type_is_event(&c->metadata.types[i]))
            error = add_type(s, &c->metadata.types[i], n);
    if (n)
        n->instead = s->instead;
    return error;
}

void jfr_shared_types_done(struct jfr_shared_types *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        free(s->rows[i].name);
    free(s->rows);
    *s = (struct jfr_shared_types){0};
}
