/*
 * cfi_map.c - see cfi_map.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/cfi_map.h"
#include "safe/search.h"

const struct cfi_row *cfi_map_find(const struct cfi_map *map, uint64_t pc)
{
    uint32_t upto = SEARCH_UPTO(map->tables, map->count, base, pc);
    return upto == 0 ? NULL : cfi_find(&map->tables[upto - 1], pc);
}
