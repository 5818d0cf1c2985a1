/*
 * heap_histo.h - counts the objects of each class and their bytes.
 *
 * Counts what heap_find.h has found. Context: any, not signal; memory comes from the arena.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "heapwalk/heap_find.h"

struct heap_histo_row {
    uint64_t objects, bytes;
};

/**
 * Count all marked objects. Objects of the class `find->klasses[i]` are added to ret_rows[i],
 * objects of any other class to ret_rows[find->klass_count]. Errors: 0, -ENOMEM.
 */
int heap_histo_count(struct heap_find *find, struct heap_histo_row *ret_rows);
