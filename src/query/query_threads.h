/*
 * query_threads.h - the threads of all inputs, and the table `threads`.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"

struct query;
struct query_threads;

/** A thread; texts are strings of the query's model, 0: unknown. */
struct query_threads_row {
    uint64_t java_id, os_id; /* 0: unknown */
    string_id name, group;
    uint32_t input;      /* the number of the input */
    uint32_t is_virtual; /* 0 or 1 */
};

/** Makes the set, and adds its table. Errors: 0, -ENOMEM. */
int query_threads_open(struct query *q);
/** The number of the thread, from 1; it is added if it is new. 0: no memory. */
uint32_t query_threads_add(struct query_threads *t, const struct query_threads_row *row);
const struct query_threads_row *query_threads_at(const struct query_threads *t, uint32_t number);
uint32_t query_threads_count(const struct query_threads *t);
