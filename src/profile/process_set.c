/*
 * process_set.c - see process_set.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/process_set.h"
#include <errno.h>
#include <stddef.h>

struct member {
    process_id process;
    uint32_t serial;
    thread_id thread;
};

void process_set_init(struct process_set *s, struct arena *arena, const struct lookup_key *hash_key)
{
    *s = (struct process_set){.arena = arena, .hash_key = hash_key};
    table_init(&s->rows, sizeof(struct process_set_row));
    table_init(&s->threads, sizeof(struct member));
}

uint32_t process_set_count(const struct process_set *s)
{
    return s->rows.count;
}

const struct process_set_row *process_set_at(const struct process_set *s, process_id id)
{
    return table_at(&s->rows, id);
}

uint32_t process_set_before(const struct process_set *s, process_id id)
{
    uint32_t before = 0;

    for (process_id other = 1; other < id; other++)
        before += process_set_at(s, other)->pid == process_set_at(s, id)->pid;
    return before;
}

static process_id add(struct process_set *s, const struct process_set_row *row)
{
    struct process_set_row *to = table_add(&s->rows, s->arena);

    if (!to)
        return 0;
    *to = *row;
    return s->rows.count;
}

process_id process_set_of(struct process_set *s, const struct process_set_row *row)
{
    for (process_id id = 1; row->pid && id <= s->rows.count; id++) {
        const struct process_set_row *other = process_set_at(s, id);

        if (other->pid == row->pid && other->start_ms == row->start_ms)
            return id;
    }
    return add(s, row);
}

process_id process_set_named(struct process_set *s, string_id name)
{
    for (process_id id = 1; id <= s->rows.count; id++)
        if (process_set_at(s, id)->pid == 0 && process_set_at(s, id)->name == name)
            return id;
    return add(s, &(struct process_set_row){.name = name});
}

static uint32_t hash_of(const struct process_set *s, process_id process, uint32_t serial)
{
    const uint32_t key[] = {process, serial};

    return lookup_hash(s->hash_key, key, sizeof(key));
}

thread_id process_set_thread(const struct process_set *s, process_id process, uint32_t serial)
{
    uint32_t hash = hash_of(s, process, serial), at = hash, row;

    while ((row = lookup_next(&s->index, hash, &at)) != 0) {
        const struct member *m = table_at(&s->threads, row);

        if (m->process == process && m->serial == serial)
            return m->thread;
    }
    return 0;
}

int process_set_add_thread(struct process_set *s, process_id process, uint32_t serial, thread_id id)
{
    struct member *m =
        lookup_reserve(&s->index, s->arena) ? table_add(&s->threads, s->arena) : NULL;

    if (!m)
        return -ENOMEM;
    *m = (struct member){process, serial, id};
    lookup_add(&s->index, hash_of(s, process, serial), s->threads.count);
    return 0;
}
