/*
 * times_read.c - see times_read.h.
 *
 * A stack is copied while its thread goes on. After the copy, each entry is looked at again. If it
 * still has the same node and the same time of entry, it has been open in between, and so have all
 * entries below it. Entries above the first changed one are left out.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_read.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include "agent/times/times_block.h"
#include "agent/times/times_since.h"

static int64_t at_least_0(int64_t n)
{
    return n > 0 ? n : 0;
}

static int64_t load(const int64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static uint32_t thread_of(const struct times_node *n)
{
    while (n->parent != n)
        n = n->parent;
    return n->thread;
}

void times_read_base(const struct times_node *n, struct times_node_base *ret)
{
    const struct times_node_base now = {load(&n->count), load(&n->time), load(&n->made)};
    if (now.count || now.time || now.made) /* otherwise the page of the base is not touched */
        *ret = now;
}

void times_read_nodes(struct times_node_view v, const struct times_reading *how,
                      struct times_row *rows)
{
    for (uint32_t i = 0; i < v.count; i++) {
        const struct times_node *n = times_node_at(v, i);
        struct times_node_base *base = times_node_base_at(v, how->place, i), next = {0};
        struct times_row *row = &rows[i];
        row->id = __atomic_load_n(&n->id, __ATOMIC_ACQUIRE);
        if (i >= v.paths && !n->last)
            row->id = TIMES_FREE;
        if (row->id == TIMES_FREE)
            continue;
        row->is_without_path = i >= v.paths;
        row->parent = i >= v.paths ? TIMES_NO_ROW : times_node_index(v, n->parent);
        if (how->per_thread && i < v.paths)
            row->thread = thread_of(n);
        times_read_base(n, &next);
        row->calls = at_least_0(next.count - base->count);
        row->time = at_least_0(next.time - base->time);
        row->made = at_least_0(next.made - base->made);
        if (how->clear && (row->calls || row->time || row->made))
            *base = next;
    }
}

/* If a call ends during the reading, one word may include it and another one not yet. */
static void read_spread(const struct times_node *n, struct times_method_spread *ret)
{
    const struct times_spread *s = times_node_spread(n);
    int64_t most = load(&s->most), least = INT64_MAX - load(&s->shortest), total = load(&s->total);
    int64_t calls = load(&n->count);
    if (calls <= 0 || least > most)
        return;
    ret->least = ret->calls == 0 || least < ret->least ? least : ret->least;
    ret->most = most > ret->most ? most : ret->most;
    ret->total += total;
    ret->calls += calls;
}

void times_read_spreads(struct times_node_view v, struct times_method_spread *ret, uint32_t methods)
{
    for (uint32_t i = 0; i < v.count; i++) {
        const struct times_node *n = times_node_at(v, i);
        int32_t id = __atomic_load_n(&n->id, __ATOMIC_ACQUIRE);
        bool has_calls = id >= 0 && (uint32_t)id < methods && (i < v.paths || n->last);
        if (has_calls)
            read_spread(n, &ret[id]);
    }
}

/* Copy the open calls that were open at the same time. Returns how many. */
static size_t copy_stack(const struct times_block *b, struct times_call *copy, size_t count)
{
    size_t same = 0, open;
    for (size_t i = 0; i < count; i++) {
        copy[i].node = __atomic_load_n(&b->stack[i + 1].node, __ATOMIC_ACQUIRE);
        copy[i].entered = load(&b->stack[i + 1].entered);
        copy[i].child = load(&b->stack[i + 1].child);
        copy[i].made = load(&b->stack[i + 1].made);
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    open = (size_t)(__atomic_load_n(&b->top, __ATOMIC_ACQUIRE) - b->stack);
    while (same < count && same < open &&
           __atomic_load_n(&b->stack[same + 1].node, __ATOMIC_ACQUIRE) == copy[same].node &&
           load(&b->stack[same + 1].entered) == copy[same].entered)
        same++;
    return same;
}

int times_read_stack(struct times_node_view v, const struct times_block *b,
                     const struct times_since *before, int64_t now, struct times_row *rows)
{
    size_t count = (size_t)(__atomic_load_n(&b->top, __ATOMIC_ACQUIRE) - b->stack);
    struct times_call *calls = malloc((count + 1) * sizeof(*calls));
    if (!calls)
        return -ENOMEM;
    count = copy_stack(b, calls, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t at = times_node_index(v, calls[i].node);
        int64_t until = i + 1 < count ? calls[i + 1].entered : now;
        const struct times_since_call *past = times_since_of(before, (uint32_t)i, &calls[i]);
        if (at == UINT32_MAX || rows[at].id < 0)
            continue;
        rows[at].open++;
        rows[at].open_time +=
            at_least_0(until - calls[i].entered - calls[i].child - (past ? past->time : 0));
        rows[at].open_made += calls[i].made - (past ? past->made : 0);
    }
    free(calls);
    return 0;
}
