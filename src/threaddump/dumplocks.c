/*
 * dumplocks.c - see dumplocks.h.
 *
 * All lines about locks are sorted by their objects; so the work is that of sorting.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "threaddump/dumplocks.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "threaddump/dumpline.h"

static bool waits(const struct threaddump_line *l)
{
    return l->lock == THREADDUMP_WAITING || l->lock == THREADDUMP_IN_WAIT;
}

/* ---- threads by name and by number */

struct finder {
    const struct threaddump *dump;
    uint32_t *by_name, *by_id;
};

static const struct threaddump *compared; /* the dump whose threads are compared below */

static int compare_names(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = threaddump_compare(compared->threads[x].name, compared->threads[y].name);
    return order != 0 ? order : (x > y) - (x < y);
}

static int compare_ids(const void *a, const void *b)
{
    int64_t x = compared->threads[*(const uint32_t *)a].id;
    int64_t y = compared->threads[*(const uint32_t *)b].id;
    return (x > y) - (x < y);
}

static int finder_make(const struct threaddump *d, struct finder *f)
{
    *f = (struct finder){.dump = d,
                         .by_name = calloc((size_t)d->count + 1, sizeof(uint32_t)),
                         .by_id = calloc((size_t)d->count + 1, sizeof(uint32_t))};
    if (!f->by_name || !f->by_id)
        return -ENOMEM;
    for (uint32_t i = 0; i < d->count; i++)
        f->by_name[i] = f->by_id[i] = i;
    compared = d;
    if (d->count > 0) {
        qsort(f->by_name, d->count, sizeof(uint32_t), compare_names);
        qsort(f->by_id, d->count, sizeof(uint32_t), compare_ids);
    }
    return 0;
}

static void finder_done(struct finder *f)
{
    free(f->by_name);
    free(f->by_id);
}

/* The first index in a sorted list whose thread is not below the wanted one. */
static uint32_t lower(const struct finder *f, const uint32_t *list, struct threaddump_text name,
                      int64_t id)
{
    uint32_t low = 0, high = f->dump->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct threaddump_thread *t = &f->dump->threads[list[middle]];
        bool is_below = list == f->by_name ? threaddump_compare(t->name, name) < 0 : t->id < id;
        if (is_below)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t find_id(const struct finder *f, int64_t id)
{
    uint32_t at = lower(f, f->by_id, (struct threaddump_text){0}, id);
    bool is_there = at < f->dump->count && f->dump->threads[f->by_id[at]].id == id;
    return is_there ? (int64_t)f->by_id[at] : -1;
}

/* The thread with this name, if there is one alone. */
static int64_t find_name(const struct finder *f, struct threaddump_text name)
{
    uint32_t at = lower(f, f->by_name, name, 0), count = f->dump->count;
    const struct threaddump_thread *t = f->dump->threads;
    if (at == count || threaddump_compare(t[f->by_name[at]].name, name) != 0)
        return -1;
    if (at + 1 < count && threaddump_compare(t[f->by_name[at + 1]].name, name) == 0)
        return -1;
    return f->by_name[at];
}

/* The holder that a line names itself: ', held by "NAME"' (hprof stack), ', owned by #ID' (JDK). */
static int64_t number_at(const char *at, const char *end)
{
    int64_t number = 0;
    for (; at < end && *at >= '0' && *at <= '9' && number < INT64_MAX / 16; at++)
        number = number * 10 + (*at - '0');
    return number;
}

static int64_t holder_said(const struct finder *f, struct threaddump_text text)
{
    static const char held[] = ", held by \"", owned[] = ", owned by #";
    const char *end = text.at + text.len, *at = dumpline_find(text, owned);
    if (at)
        return find_id(f, number_at(at + sizeof(owned) - 1, end));
    at = dumpline_find(text, held);
    if (!at)
        return -1;
    at += sizeof(held) - 1;
    const char *close = memrchr(at, '"', (size_t)(end - at));
    if (close && end - close > 3 && close[1] == ' ' && close[2] == '#')
        return find_id(f, number_at(close + 3, end));
    return close ? find_name(f, (struct threaddump_text){at, (size_t)(close - at)}) : -1;
}

/* ---- locks */

/* Whether another thread has the lock, or had it just before: a monitor, or the inner part of a
 * lock. A condition, a queue or a pool has no owner: a thread that waits there has no work. */
static bool is_owned(const struct threaddump_line *wait, int64_t holder)
{
    static const char part[] = "Sync";
    size_t len = sizeof(part) - 1;
    struct threaddump_text name = wait->class_name;
    return holder >= 0 || !dumpline_begins(wait->text, "parking to wait for") ||
           (name.len >= len && memcmp(name.at + name.len - len, part, len) == 0);
}

/* The lines of one object. */
static void read_lock(struct dumplocks *l, const struct finder *f,
                      const struct threaddump_lock_line *lines, uint32_t count)
{
    struct dumplocks_lock lock = {.holder = -1};
    const struct threaddump_line *wait = NULL;
    int64_t named = -1;
    for (uint32_t i = 0, next; i < count; i = next) {
        bool holds = false, is_waiting = false;
        for (next = i; next < count && lines[next].thread == lines[i].thread; next++) {
            const struct threaddump_line *line = lines[next].line;
            holds |= line->lock == THREADDUMP_LOCKED || line->lock == THREADDUMP_OWNED;
            is_waiting |= waits(line);
            if (line->lock != THREADDUMP_WAITING || l->wanted[lines[i].thread] >= 0)
                continue;
            l->wanted[lines[i].thread] = (int32_t)l->count;
            if (lock.waiting++ == 0)
                lock.first = lines[i].thread;
            wait = line;
            if (named < 0)
                named = holder_said(f, line->text);
        }
        if (holds && !is_waiting && lock.holder < 0)
            lock.holder = lines[i].thread;
    }
    if (lock.waiting == 0)
        return;
    if (lock.holder < 0)
        lock.holder = named;
    lock.object = wait->object;
    lock.class_name = wait->class_name;
    lock.is_owned = is_owned(wait, lock.holder);
    l->locks[l->count++] = lock;
}

int64_t dumplocks_blocker(const struct dumplocks *l, uint32_t index)
{
    return l->wanted[index] < 0 ? -1 : l->locks[l->wanted[index]].holder;
}

/* Counts each waiting thread at each lock of the chain in front of it. */
static void count_blocked(struct dumplocks *l, uint32_t threads)
{
    for (uint32_t i = 0; i < threads; i++) {
        int64_t at = i;
        for (unsigned n = 0; n < DUMPLOCKS_CHAIN && at >= 0 && l->wanted[at] >= 0; n++) {
            l->locks[l->wanted[at]].blocked++;
            at = dumplocks_blocker(l, (uint32_t)at);
            if (at == i)
                break;
        }
    }
}

static const struct dumplocks *ordered; /* whose locks are compared */

static int by_blocked(const void *a, const void *b)
{
    const struct dumplocks_lock *x = &ordered->locks[*(const uint32_t *)a];
    const struct dumplocks_lock *y = &ordered->locks[*(const uint32_t *)b];
    return x->blocked != y->blocked ? (x->blocked < y->blocked) - (x->blocked > y->blocked)
                                    : (x->first > y->first) - (x->first < y->first);
}

/* Sorts the locks, and changes the indexes in `wanted`. */
static int sort_locks(struct dumplocks *l, uint32_t threads)
{
    uint32_t *order = calloc((size_t)l->count + 1, sizeof(*order));
    int32_t *place = calloc((size_t)l->count + 1, sizeof(*place));
    struct dumplocks_lock *locks = calloc((size_t)l->count + 1, sizeof(*locks));
    int error = order && place && locks ? 0 : -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < l->count; i++)
        order[i] = i;
    ordered = l;
    if (error == 0 && l->count > 0)
        qsort(order, l->count, sizeof(*order), by_blocked);
    ordered = NULL;
    for (uint32_t i = 0; error == 0 && i < l->count; i++) {
        locks[i] = l->locks[order[i]];
        place[order[i]] = (int32_t)i;
    }
    for (uint32_t i = 0; error == 0 && i < threads; i++)
        if (l->wanted[i] >= 0)
            l->wanted[i] = place[l->wanted[i]];
    if (error == 0) {
        free(l->locks);
        l->locks = locks;
        locks = NULL;
    }
    free(locks);
    free(place);
    free(order);
    return error;
}

int dumplocks_make(const struct threaddump *d, struct dumplocks *ret)
{
    struct finder f = {0};
    uint32_t count;
    struct threaddump_lock_line *lines = threaddump_lock_lines(d, &count);
    *ret = (struct dumplocks){.locks = calloc((size_t)d->line_count + 1, sizeof(*ret->locks)),
                              .wanted = calloc((size_t)d->count + 1, sizeof(*ret->wanted))};
    int error = lines && ret->locks && ret->wanted ? finder_make(d, &f) : -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < d->count; i++)
        ret->wanted[i] = -1;
    for (uint32_t i = 0, next; error == 0 && i < count; i = next) {
        next = threaddump_lock_end(lines, count, i);
        read_lock(ret, &f, lines + i, next - i);
    }
    if (error == 0) {
        count_blocked(ret, d->count);
        error = sort_locks(ret, d->count);
    }
    finder_done(&f);
    free(lines);
    return error;
}

void dumplocks_done(struct dumplocks *l)
{
    free(l->locks);
    free(l->wanted);
    *l = (struct dumplocks){0};
}

/* ---- circles */

static int add_circle(struct threaddump *d, const struct dumplocks *l, uint32_t first)
{
    d->found++;
    d->deadlocks++;
    for (int64_t at = first; at >= 0;) {
        struct threaddump_dead *dead =
            reallocarray(d->dead, (size_t)d->dead_count + 1, sizeof(*dead));
        if (!dead)
            return -ENOMEM;
        d->dead = dead;
        dead[d->dead_count++] = (struct threaddump_dead){d->threads[at].name, d->found};
        at = dumplocks_blocker(l, (uint32_t)at);
        if (at == first)
            break;
    }
    return 0;
}

int dumplocks_find_deadlocks(struct threaddump *d)
{
    struct dumplocks l;
    if (d->deadlocks > 0 || d->count == 0)
        return 0;
    uint32_t *seen = calloc(d->count, sizeof(*seen)); /* number of the walk that came here */
    int error = dumplocks_make(d, &l);
    if (!seen)
        error = -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < d->count; i++) {
        int64_t at = i;
        while (at >= 0 && seen[at] == 0) {
            seen[at] = i + 1;
            at = dumplocks_blocker(&l, (uint32_t)at);
        }
        /* The walk has come to a thread that it has seen itself: this thread is in a circle. */
        if (at >= 0 && seen[at] == i + 1 && dumplocks_blocker(&l, (uint32_t)at) != at)
            error = add_circle(d, &l, (uint32_t)at);
    }
    dumplocks_done(&l);
    free(seen);
    return error;
}
