/*
 * jfr_groups.h - sums over groups of events, by the text that names the group.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct jfr_group {
    char *name; /* with a NUL behind it */
    size_t len;
    uint64_t hash, count;
    uint64_t valued;  /* events that have a value */
    double sum, most; /* of these */
};

struct jfr_groups {
    struct jfr_group *rows;
    uint32_t *slots; /* row + 1; 0: free */
    size_t count, room, slot_count;
    uint64_t total_count;
    double total_sum;
    int error; /* 0 or -ENOMEM */
};

/** `value` NAN: the event has none. */
void jfr_groups_add(struct jfr_groups *g, const char *name, size_t len, double value);
enum jfr_groups_order { JFR_GROUPS_BY_SUM, JFR_GROUPS_BY_COUNT, JFR_GROUPS_BY_NAME };
/** By the sum of their values or by count, the largest first, equal ones by name; or by name. */
void jfr_groups_sort(struct jfr_groups *g, enum jfr_groups_order order);
void jfr_groups_done(struct jfr_groups *g);
