/*
 * threads_outside.c - see threads_outside.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/threads_outside.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "attach/threaddump.h"

enum {
    FRAMES_MAX = 1024,
    AGAIN_NS = 20000000, /* pause between two readings */
};

/* A number for a deadlock: the lowest id of its threads. */
static int64_t mark_of(const struct snapshot *s, const struct java_deadlock *d)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < d->count; i++) {
        const struct java_thread *row = &s->java.rows[s->locks.rows[d->locks[i]].thread];
        int64_t id = row->virtual_object != 0 ? row->virtual_id : row->id;
        least = id < least ? id : least;
    }
    return least;
}

static bool has_mark(const int64_t *marks, uint32_t count, int64_t mark)
{
    for (uint32_t i = 0; i < count; i++)
        if (marks[i] == mark)
            return true;
    return false;
}

/* Keeps the deadlocks that have one of these numbers. */
static void keep_deadlocks(struct snapshot *s, const int64_t *marks, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->locks.deadlock_count; i++) {
        struct java_deadlock d = s->locks.deadlocks[i];
        if (has_mark(marks, count, mark_of(s, &d)))
            s->locks.deadlocks[kept++] = d;
        else
            free(d.locks);
    }
    s->locks.deadlock_count = kept;
}

static bool is_virtual(const struct snapshot *s, const struct java_deadlock *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        const struct java_thread *row = &s->java.rows[s->locks.rows[d->locks[i]].thread];
        if (row->addr == 0 || row->virtual_object != 0)
            return true;
    }
    return false;
}

/* Reads a second time. Drops the circles that are gone, and those that the JVM finds itself. */
static int confirm(struct threads_outside *o, enum snapshot_depth depth)
{
    struct snapshot *s = &o->snapshot;
    struct timespec pause = {.tv_nsec = AGAIN_NS};
    uint32_t count = s->locks.deadlock_count;
    int64_t *marks = calloc((size_t)count + 1, sizeof(*marks));
    uint32_t wanted = 0;
    if (!marks)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        if (is_virtual(s, &s->locks.deadlocks[i]))
            marks[wanted++] = mark_of(s, &s->locks.deadlocks[i]);
    nanosleep(&pause, NULL);
    mem_live_forget(&o->live);
    int error = snapshot_take(s, depth, FRAMES_MAX);
    keep_deadlocks(s, marks, wanted);
    free(marks);
    return error;
}

void threads_outside_look(struct threads_outside *o, pid_t pid, bool wants_virtuals)
{
    const char *missing;
    enum snapshot_depth depth = wants_virtuals ? SNAPSHOT_JAVA : SNAPSHOT_LOCKS;
    struct snapshot *s = &o->snapshot;
    *o = (struct threads_outside){.live = {.mem_fd = -1}, .wants_virtuals = wants_virtuals};
    if (mem_live_open(pid, &o->live) < 0 ||
        snapshot_open(s, &o->live.image, wants_virtuals, &missing) < 0)
        return;
    s->pid = pid;
    int error = snapshot_take(s, depth, FRAMES_MAX);
    if (error == 0 && s->locks.deadlock_count > 0)
        error = confirm(o, depth);
    o->is_known = error == 0;
    if (!o->is_known)
        return;
    snapshot_name_frames(s);
    o->has_unlisted = snapshot_has_unlisted(s);
}

void threads_outside_done(struct threads_outside *o)
{
    snapshot_close(&o->snapshot);
    mem_live_close(&o->live);
}

/* The address of the JavaThread, from the head of the thread in the JVM's dump. */
static uint64_t address_of(const struct threaddump_thread *t)
{
    static const char word[] = "tid=0x";
    const char *at =
        t->head.len > 0 ? memmem(t->head.at, t->head.len, word, sizeof(word) - 1) : NULL;
    return at ? strtoull(at + sizeof(word) - 1, NULL, 16) : 0;
}

const char *threads_outside_holder(const struct threads_outside *o,
                                   const struct threaddump_thread *t)
{
    const struct snapshot *s = &o->snapshot;
    uint64_t address = address_of(t);
    for (uint32_t i = 0; o->is_known && address != 0 && i < s->java.platform_count; i++) {
        if (s->java.rows[i].addr != address)
            continue;
        for (int32_t n = java_locks_first(&s->locks, i); n >= 0; n = s->locks.rows[n].next) {
            const struct java_lock *lock = &s->locks.rows[n];
            if (lock->holder < 0 || lock->holder == (int32_t)i)
                continue;
            const struct java_thread *row = &s->java.rows[lock->holder];
            return row->virtual_object != 0 ? row->virtual_name : row->name;
        }
    }
    return NULL;
}
