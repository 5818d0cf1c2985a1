/*
 * thread_rows.h - groups the rows of a table by thread: the rows of each thread are a range of one
 * list.
 *
 * It also groups by any other number that each row has, if it counts from 0 like a thread_id: for
 * example by process.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "profile/ids.h"

struct table;

/** The rows of thread T are rows[first[T]] to rows[first[T + 1] - 1]. */
struct thread_rows {
    uint32_t *rows; /* numbers of the rows; those of one thread are in the order of the table */
    uint32_t *first;
};

/**
 * Groups the rows. Each row has a thread_id of at most `threads` at this offset. Errors: 0;
 * -ENOMEM. Owner: thread_rows_done(), also after an error.
 */
int thread_rows_make(struct thread_rows *t, const struct table *table, size_t offset,
                     thread_id threads);
void thread_rows_done(struct thread_rows *t);
