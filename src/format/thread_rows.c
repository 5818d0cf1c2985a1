/*
 * thread_rows.c - see thread_rows.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/thread_rows.h"
#include <errno.h>
#include <stdlib.h>
#include "profile/table.h"

static thread_id thread_of(const struct table *table, uint32_t row, size_t offset)
{
    const unsigned char *bytes = table_at(table, row);
    return *(const thread_id *)(const void *)(bytes + offset);
}

/* While the list is filled, first[T + 1] is the place of T's next row. */
int thread_rows_make(struct thread_rows *t, const struct table *table, size_t offset,
                     thread_id threads)
{
    *t = (struct thread_rows){
        .rows = calloc((size_t)table->count + 1, sizeof(*t->rows)),
        .first = calloc((size_t)threads + 3, sizeof(*t->first)),
    };
    if (!t->rows || !t->first)
        return -ENOMEM;
    for (uint32_t row = 1; row <= table->count; row++)
        t->first[thread_of(table, row, offset) + 2]++;
    for (size_t thread = 2; thread < (size_t)threads + 3; thread++)
        t->first[thread] += t->first[thread - 1];
    for (uint32_t row = 1; row <= table->count; row++)
        t->rows[t->first[thread_of(table, row, offset) + 1]++] = row;
    return 0;
}

void thread_rows_done(struct thread_rows *t)
{
    free(t->rows);
    free(t->first);
    *t = (struct thread_rows){0};
}
