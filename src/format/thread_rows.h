/*
 * thread_rows.h - the rows of a table by their threads: each thread's are a range of one list. Of
 * what else rows have one each, and is numbered as threads are, the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "profile/ids.h"

struct table;

/** The rows of thread T are rows[first[T]] up to, not with, rows[first[T + 1]]. */
struct thread_rows {
    uint32_t *rows; /* their numbers, in the order of the table within a thread */
    uint32_t *first;
};

/**
 * Each row has a thread_id of at most `threads` at this offset. Errors: 0; -ENOMEM.
 * Owner: thread_rows_done(), also after an error.
 */
int thread_rows_make(struct thread_rows *t, const struct table *table, size_t offset,
                     thread_id threads);
void thread_rows_done(struct thread_rows *t);
