/*
 * cfi_map.h - the call frame information of a whole process: which table holds an address.
 *
 * A map is made outside of handlers, never changed after that, and published by one atomic pointer
 * (unwind.h); handlers search it without a lock. Its rows are memory of our own: looking one up
 * cannot fault, whatever has happened to the library.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/cfi.h"

struct cfi_map {
    uint32_t count;
    struct cfi_table tables[]; /* by base; they do not overlap */
};

/** The row for `pc` (a return address less 1), or NULL: code of no table. */
const struct cfi_row *cfi_map_find(const struct cfi_map *map, uint64_t pc);
