/*
 * times_group.h - puts rows of one path together: rows of several threads, and rows of paths that
 * differ only beyond the wanted depth.
 *
 * This code knows the numbers of methods, not their names. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct times_row;

struct times_group {
    uint32_t row;   /* one row of the group, which has the path */
    uint64_t calls; /* sum of what was added */
    double time, made;
    double cost; /* set by the caller; times_group_sort() orders by it */
};

struct times_groups {
    const struct times_row *rows;
    uint32_t depth; /* methods of a path that count; 0: all rows are one group */
    struct times_group *groups;
    uint32_t count;
    uint32_t *table; /* hash table by path: index of a group, from 1 */
    uint32_t mask;
};

/** Begin for `count` rows, which are borrowed. Errors: 0, -ENOMEM. */
int times_group_begin(struct times_groups *g, const struct times_row *rows, uint32_t count,
                      uint32_t depth);
/** Add to the group of a row. */
void times_group_add(struct times_groups *g, uint32_t row, uint64_t calls, double time,
                     double made);
/** Sort, the largest cost first. */
void times_group_sort(struct times_groups *g);
void times_group_end(struct times_groups *g);
