/*
 * levels.c - see levels.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/levels.h"

void levels_init(struct levels *l, struct arena *arena)
{
    *l = (struct levels){.arena = arena};
    table_init(&l->rows, sizeof(struct level));
}

void levels_add(struct levels *l, const struct level *level)
{
    struct level *row = table_add(&l->rows, l->arena);
    if (row)
        *row = *level;
    else
        l->lost++;
}

uint32_t levels_count(const struct levels *l)
{
    return l->rows.count;
}

const struct level *levels_at(const struct levels *l, uint32_t number)
{
    return table_at(&l->rows, number);
}
