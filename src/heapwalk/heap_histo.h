/*
 * heap_histo.h - how many objects of each class a heap has, and how many bytes they take.
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
 * Count all marked objects: those of the class `find->klasses[i]` into ret_rows[i], those of any
 * other into ret_rows[find->klass_count]. Rows are added to. Errors: 0, -ENOMEM.
 */
int heap_histo_count(struct heap_find *find, struct heap_histo_row *ret_rows);
