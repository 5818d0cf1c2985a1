/*
 * cfi_map.c - see cfi_map.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/cfi_map.h"
#include <stdatomic.h>
#include "safe/search.h"

static _Atomic(const struct cfi_map *) current;
static _Atomic int wanted;

void cfi_map_publish(const struct cfi_map *map)
{
    atomic_store_explicit(&current, map, memory_order_release);
}

const struct cfi_map *cfi_map_current(void)
{
    return atomic_load_explicit(&current, memory_order_acquire);
}

void cfi_map_want(void)
{
    atomic_store_explicit(&wanted, 1, memory_order_relaxed);
}

int cfi_map_is_wanted(void)
{
    return atomic_load_explicit(&wanted, memory_order_relaxed);
}

const struct cfi_row *cfi_map_find(const struct cfi_map *map, uint64_t pc)
{
    uint32_t upto = SEARCH_UPTO(map->tables, map->count, base, pc);
    return upto == 0 ? NULL : cfi_find(&map->tables[upto - 1], pc);
}
