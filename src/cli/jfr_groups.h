/*
 * jfr_groups.h - sums over groups of events, by the text that names the group.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/keyset.h"

struct jfr_group {
    const char *name;
    uint64_t count;
    uint64_t valued;  /* events that have a value */
    double sum, most; /* of these */
};

struct jfr_groups {
    struct keyset names;
    struct jfr_group *rows; /* until they are sorted, by the numbers of their names */
    size_t count, room;
    uint64_t total_count;
    double total_sum;
    int error; /* 0 or -ENOMEM */
};

void jfr_groups_init(struct jfr_groups *g);
/** `value` NAN: the event has none. */
void jfr_groups_add(struct jfr_groups *g, const char *name, size_t len, double value);
/** By the sum of their values or by count, the largest first, equal ones by name. Nothing is added
 * after. */
void jfr_groups_sort(struct jfr_groups *g, bool by_sum);
void jfr_groups_done(struct jfr_groups *g);
