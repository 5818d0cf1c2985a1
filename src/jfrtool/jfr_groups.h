/*
 * jfr_groups.h - counts and sums of groups of events; a text names the group.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jfrtool/keyset.h"

struct jfr_group {
    const char *name;
    uint64_t count;
    uint64_t valued;  /* events that have a value */
    double sum, most; /* sum and largest of these values */
};

struct jfr_groups {
    struct keyset names;
    struct jfr_group *rows; /* by the numbers of their names, until they are sorted */
    size_t count, room;
    uint64_t total_count;
    double total_sum;
    int error; /* 0 or -ENOMEM */
};

void jfr_groups_init(struct jfr_groups *g);
/** Adds one event to the group of this name; `value` NAN: the event has no value. */
void jfr_groups_add(struct jfr_groups *g, const char *name, size_t len, double value);
/** Sorts the rows by their sums or counts, the largest first, and equal rows by name. Nothing may
 * be added after this. */
void jfr_groups_sort(struct jfr_groups *g, bool by_sum);
void jfr_groups_done(struct jfr_groups *g);
