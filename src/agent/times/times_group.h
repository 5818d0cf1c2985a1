/*
 * times_group.h - rows of one path put together: those of several threads, and those of paths that
 * differ only beyond the depth that is asked for.
 *
 * Knows the numbers of methods, not their names. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct times_row;

struct times_group {
    uint32_t row;   /* one of its rows, which has the path */
    uint64_t calls; /* what was added */
    double time, made;
    double cost; /* the caller's: what times_group_sort() goes by */
};

struct times_groups {
    const struct times_row *rows;
    uint32_t depth; /* methods of a path; 0: all rows are one group */
    struct times_group *groups;
    uint32_t count;
    uint32_t *table; /* by path: index of a group, from 1 */
    uint32_t mask;
};

/** For `count` rows, which are borrowed. Errors: 0, -ENOMEM. */
int times_group_begin(struct times_groups *g, const struct times_row *rows, uint32_t count,
                      uint32_t depth);
/** Add to the group that a row belongs to. */
void times_group_add(struct times_groups *g, uint32_t row, uint64_t calls, double time,
                     double made);
/** The largest cost first. */
void times_group_sort(struct times_groups *g);
void times_group_end(struct times_groups *g);
