/*
 * cfi_map.c - see cfi_map.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/cfi_map.h"

const struct cfi_row *cfi_map_find(const struct cfi_map *map, uint64_t pc)
{
    uint32_t low = 0, high = map->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (map->tables[middle].base <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? NULL : cfi_find(&map->tables[low - 1], pc);
}
