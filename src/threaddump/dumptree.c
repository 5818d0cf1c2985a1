/*
 * dumptree.c - see dumptree.h.
 *
 * A thread waits for one thing at most. So the locks are a forest, whose roots are threads that do
 * not wait for a known thread, and circles, which are shown as roots, too.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "threaddump/dumptree.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/plural.h"
#include "base/sink.h"
#include "threaddump/dumpseries.h"

enum { NAMES_SHOWN = 8, INDENT = 2 };

static void put(struct sink *out, struct threaddump_text t)
{
    sink_bytes(out, t.at, t.len);
}

static bool has_state(const struct threaddump_thread *t, const char *word)
{
    return threaddump_is_same(threaddump_state(t), (struct threaddump_text){word, strlen(word)});
}

void dumptree_head(struct sink *out, unsigned number, const struct dumpset_dump *d)
{
    static const char *const states[] = {"RUNNABLE", "BLOCKED", "WAITING", "TIMED_WAITING", "NEW"};
    uint32_t others = d->threads.count;
    sink_printf(out, "dump %u: %s:%" PRIu64, number, d->file, d->about.line);
    if (d->about.when[0] != '\0')
        sink_printf(out, ", %s", d->about.when);
    sink_printf(out, ", %u thread%s:", d->threads.count, plural_s(d->threads.count));
    for (size_t s = 0; s < sizeof(states) / sizeof(states[0]); s++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < d->threads.count; i++)
            count += has_state(&d->threads.threads[i], states[s]);
        others -= count;
        if (count > 0)
            sink_printf(out, " %u %s,", count, states[s]);
    }
    sink_printf(out, " %u of the VM\n", others);
}

/* ---- the tree */

struct tree {
    struct sink *out;
    const struct threaddump *dump;
    const struct dumplocks *locks;
    uint32_t *waiters; /* threads by the lock that they want */
    uint32_t *held;    /* locks by their holder */
};

static const struct dumplocks *ordered; /* whose indexes are compared */

static int by_wanted(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int32_t i = ordered->wanted[x], j = ordered->wanted[y];
    return i != j ? (i > j) - (i < j) : (x > y) - (x < y);
}

static int by_holder(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int64_t i = ordered->locks[x].holder, j = ordered->locks[y].holder;
    return i != j ? (i > j) - (i < j) : (x > y) - (x < y);
}

/* The first place in `list` whose key is not below `key`. */
static uint32_t lower(const struct tree *t, const uint32_t *list, uint32_t count, int64_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int64_t at = list == t->waiters ? t->locks->wanted[list[middle]]
                                        : t->locks->locks[list[middle]].holder;
        if (at < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_in_circle(const struct tree *t, uint32_t thread)
{
    int64_t at = dumplocks_blocker(t->locks, thread);
    for (unsigned n = 0; n < DUMPLOCKS_CHAIN && at >= 0 && at != thread; n++)
        at = dumplocks_blocker(t->locks, (uint32_t)at);
    return at == thread;
}

static void put_thread(const struct tree *t, uint32_t thread)
{
    const struct threaddump_thread *row = &t->dump->threads[thread];
    sink_text(t->out, "\"");
    put(t->out, row->name);
    sink_text(t->out, "\"");
    if (row->id >= 0)
        sink_printf(t->out, " #%" PRId64, row->id);
}

static void put_lock(const struct tree *t, uint32_t index, unsigned depth)
{
    const struct dumplocks_lock *lock = &t->locks->locks[index];
    uint32_t first = lower(t, t->waiters, t->dump->count, index), shown = 0;
    sink_printf(t->out, "%*s%u wait%s for <", (int)(depth * INDENT), "", lock->waiting,
                lock->waiting == 1 ? "s" : "");
    put(t->out, lock->object);
    sink_text(t->out, "> (a ");
    put(t->out, lock->class_name);
    sink_text(t->out, "):");
    for (uint32_t i = first; i < t->dump->count && shown < NAMES_SHOWN; i++, shown++) {
        if (t->locks->wanted[t->waiters[i]] != (int32_t)index)
            break;
        sink_text(t->out, shown > 0 ? ", " : " ");
        put_thread(t, t->waiters[i]);
    }
    sink_text(t->out, lock->waiting > shown ? ", ...\n" : "\n");
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth has a limit */
static void put_below(const struct tree *t, uint32_t holder, unsigned depth)
{
    if (depth > DUMPLOCKS_CHAIN)
        return;
    for (uint32_t i = lower(t, t->held, t->locks->count, holder); i < t->locks->count; i++) {
        uint32_t index = t->held[i];
        if (t->locks->locks[index].holder != holder)
            return;
        put_lock(t, index, depth);
        for (uint32_t n = lower(t, t->waiters, t->dump->count, index);
             n < t->dump->count && t->locks->wanted[t->waiters[n]] == (int32_t)index; n++) {
            uint32_t waiter = t->waiters[n];
            uint32_t first = lower(t, t->held, t->locks->count, waiter);
            bool blocks =
                first < t->locks->count && t->locks->locks[t->held[first]].holder == waiter;
            if (!blocks || is_in_circle(t, waiter))
                continue;
            sink_printf(t->out, "%*s", (int)(depth * INDENT + INDENT), "");
            put_thread(t, waiter);
            sink_text(t->out, " blocks:\n");
            put_below(t, waiter, depth + 2);
        }
    }
}

static void put_roots(const struct tree *t)
{
    for (uint32_t i = 0; i < t->locks->count; i++) {
        const struct dumplocks_lock *lock = &t->locks->locks[i];
        uint32_t holder = (uint32_t)lock->holder;
        if (lock->holder < 0)
            continue;
        bool is_circle = is_in_circle(t, holder);
        /* Of the locks that one thread holds, the first shows all. */
        bool is_first = t->held[lower(t, t->held, t->locks->count, holder)] == i;
        if (!is_first || (dumplocks_blocker(t->locks, holder) >= 0 && !is_circle))
            continue;
        const struct threaddump_thread *row = &t->dump->threads[holder];
        put_thread(t, holder);
        sink_text(t->out, " ");
        put(t->out, threaddump_state(row));
        if (row->count > 0) {
            sink_text(t->out, " at ");
            put(t->out, t->dump->lines[row->first].text);
        }
        sink_text(t->out, is_circle ? " is in a circle, and blocks:\n" : " blocks:\n");
        put_below(t, holder, 1);
    }
}

int dumptree_print(struct sink *out, const struct threaddump *d, const struct dumplocks *l)
{
    struct tree t = {.out = out,
                     .dump = d,
                     .locks = l,
                     .waiters = calloc((size_t)d->count + 1, sizeof(*t.waiters)),
                     .held = calloc((size_t)l->count + 1, sizeof(*t.held))};
    int error = t.waiters && t.held ? 0 : -ENOMEM;
    ordered = l;
    for (uint32_t i = 0; error == 0 && i < d->count; i++)
        t.waiters[i] = i;
    for (uint32_t i = 0; error == 0 && i < l->count; i++)
        t.held[i] = i;
    if (error == 0 && l->count > 0) {
        qsort(t.waiters, d->count, sizeof(*t.waiters), by_wanted);
        qsort(t.held, l->count, sizeof(*t.held), by_holder);
        put_roots(&t);
    }
    free(t.waiters);
    free(t.held);
    return error;
}
