/*
 * found.c - see found.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/found.h"
#include <string.h>

void found_init(struct found *f, struct arena *arena)
{
    *f = (struct found){.arena = arena};
    table_init(&f->threads, sizeof(struct found_thread));
    table_init(&f->monitors, sizeof(struct found_monitor));
    table_init(&f->waits, sizeof(struct found_waiter));
}

void found_add_time(struct found *f, uint64_t from_ns, uint64_t to_ns)
{
    if (!from_ns || to_ns < from_ns)
        return;
    if (!f->from_ns || from_ns < f->from_ns)
        f->from_ns = from_ns;
    if (to_ns > f->to_ns)
        f->to_ns = to_ns;
}

static void add(struct found *f, struct table *t, const void *row)
{
    void *at = table_add(t, f->arena);
    if (at)
        memcpy(at, row, t->row_bytes);
    else
        f->lost++;
}

void found_add_drawable(struct found *f, string_id type)
{
    for (int i = 0; i < FOUND_DRAWABLE && f->drawable[i] != type; i++) {
        if (!f->drawable[i]) {
            f->drawable[i] = type;
            return;
        }
    }
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

void found_add_waiter(struct found *f, thread_id thread, bool is_entering)
{
    const struct found_waiter row = {f->monitors.count, thread, is_entering};
    add(f, &f->waits, &row);
}
