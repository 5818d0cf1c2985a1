/*
 * process_set.c - see process_set.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/process_set.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/* The row that is kept beside each process row. */
struct same_pid {
    uint32_t before, all; /* `all` is used only in the first row of a pid */
};

struct member {
    process_id process;
    uint32_t serial;
    thread_id thread;
};

void process_set_init(struct process_set *s, struct arena *arena, const struct lookup_key *hash_key)
{
    *s = (struct process_set){.arena = arena, .hash_key = hash_key};
    table_init(&s->rows, sizeof(struct process_set_row));
    table_init(&s->before, sizeof(struct same_pid));
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
    const struct same_pid *row = table_at(&s->before, id);
    return row->before;
}

static uint32_t hash_of_pid(const struct process_set *s, uint32_t pid)
{
    return lookup_hash(s->hash_key, &pid, sizeof(pid));
}

/* The first process with this pid; 0: there is none. */
static process_id first_of_pid(const struct process_set *s, uint32_t pid)
{
    uint32_t hash = hash_of_pid(s, pid), at = hash, id;
    while ((id = lookup_next(&s->by_pid, hash, &at)) != 0)
        if (process_set_at(s, id)->pid == pid)
            return id;
    return 0;
}

/* The hash of pid and start; without a pid, of the name. */
static uint32_t hash_of_row(const struct process_set *s, const struct process_set_row *row)
{
    const uint64_t key[] = {row->pid, row->pid ? (uint64_t)row->start_ms : row->name};
    return lookup_hash(s->hash_key, key, sizeof(key));
}

static bool is_same(const struct process_set_row *a, const struct process_set_row *b)
{
    return a->pid == b->pid && (a->pid ? a->start_ms == b->start_ms : a->name == b->name);
}

/* The process that is the same as `row`; 0: there is none. */
static process_id find(const struct process_set *s, const struct process_set_row *row)
{
    uint32_t hash = hash_of_row(s, row), at = hash, id;
    while ((id = lookup_next(&s->by_row, hash, &at)) != 0)
        if (is_same(process_set_at(s, id), row))
            return id;
    return 0;
}

static process_id add(struct process_set *s, const struct process_set_row *row)
{
    bool has_room = lookup_reserve(&s->by_row, s->arena) && lookup_reserve(&s->by_pid, s->arena);
    process_id first = first_of_pid(s, row->pid);
    /* If adding to `rows` has failed, `before` has one row more, which is used again here. */
    struct same_pid *beside = has_room && s->before.count == s->rows.count
                                  ? table_add(&s->before, s->arena)
                              : has_room ? table_at(&s->before, s->rows.count + 1)
                                         : NULL;
    struct process_set_row *to = beside ? table_add(&s->rows, s->arena) : NULL;

    if (!to)
        return 0;
    *to = *row;
    lookup_add(&s->by_row, hash_of_row(s, row), s->rows.count);
    *beside = (struct same_pid){0};
    if (first == 0) {
        first = s->rows.count;
        lookup_add(&s->by_pid, hash_of_pid(s, row->pid), first);
    }
    struct same_pid *of_first = table_at(&s->before, first);
    beside->before = of_first->all++;
    return s->rows.count;
}

process_id process_set_of(struct process_set *s, const struct process_set_row *row)
{
    process_id id = row->pid ? find(s, row) : 0;
    return id ? id : add(s, row);
}

process_id process_set_named(struct process_set *s, string_id name)
{
    const struct process_set_row row = {.name = name};
    process_id id = find(s, &row);
    return id ? id : add(s, &row);
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
