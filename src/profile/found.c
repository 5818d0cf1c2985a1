/*
 * found.c - see found.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/found.h"
#include <string.h>
#include "base/err.h"

void found_init(struct found *f, struct arena *arena)
{
    *f = (struct found){.arena = arena};
    for (int i = 0; i < FOUND_TIME_KINDS; i++)
        table_init(&f->times[i], sizeof(struct found_time));
    table_init(&f->threads, sizeof(struct found_thread));
    table_init(&f->monitors, sizeof(struct found_monitor));
    table_init(&f->waits, sizeof(struct found_waiter));
}

static void add(struct found *f, struct table *t, const void *row)
{
    void *at = table_add(t, f->arena);
    if (at)
        memcpy(at, row, t->row_bytes);
    else
        f->lost++;
}

int found_add_time(struct found *f, enum found_kind kind, const struct found_time *row)
{
    struct found_time sum = f->sums[kind];
    if (__builtin_add_overflow(sum.us, row->us, &sum.us) ||
        __builtin_add_overflow(sum.count, row->count, &sum.count))
        return E_LIMIT;
    f->sums[kind] = sum;
    add(f, &f->times[kind], row);
    return 0;
}

void found_clear_times(struct found *f, enum found_kind kind)
{
    f->times[kind].count = 0; /* its memory is used again */
    f->total_us[kind] = 0;
    f->sums[kind] = (struct found_time){0};
    f->seen[kind] = 0;
}

void found_begin_dump(struct found *f)
{
    f->threads.count = f->monitors.count = f->waits.count = 0;
}

void found_add_thread(struct found *f, const struct found_thread *row)
{
    add(f, &f->threads, row);
}

void found_add_monitor(struct found *f, const struct found_monitor *row)
{
    add(f, &f->monitors, row);
}

void found_add_waiter(struct found *f, thread_id thread, int is_entering)
{
    const struct found_waiter row = {f->monitors.count, thread, is_entering};
    add(f, &f->waits, &row);
}
