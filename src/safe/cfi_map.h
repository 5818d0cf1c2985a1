/*
 * cfi_map.h - the call frame information of a whole process: which table holds an address.
 *
 * A map is made outside of handlers, is never changed after that, and is published by one atomic
 * pointer (unwind.h); handlers search the map without a lock. The rows of a map are our own memory:
 * a lookup cannot fault, whatever has happened to the library that the rows describe.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/cfi.h"

struct cfi_map {
    uint32_t count;
    struct cfi_table tables[]; /* sorted by base; they do not overlap */
};

/** The row for `pc` (for a return address: the address less 1), or NULL if no table holds `pc`. */
const struct cfi_row *cfi_map_find(const struct cfi_map *map, uint64_t pc);
