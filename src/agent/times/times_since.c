/*
 * times_since.c - see times_since.h.
 *
 * Calls end from the innermost one on, so the calls of a list that are still open are the first
 * ones of the list.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_since.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include "agent/times/times_block.h"

static int64_t load(const int64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static uint32_t open_calls(const struct times_block *b)
{
    return (uint32_t)(__atomic_load_n(&b->top, __ATOMIC_ACQUIRE) - b->stack);
}

int times_since_take(struct times_since **list, const struct times_block *b, int64_t now,
                     bool has_totals)
{
    uint32_t count = open_calls(b);
    struct times_since *s;
    if (count == 0)
        return 0;
    s = calloc(1, sizeof(*s) + count * sizeof(*s->calls));
    if (!s)
        return -ENOMEM;
    s->tid = b->tid;
    s->count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct times_call *call = &b->stack[i + 1];
        struct times_since_call *to = &s->calls[i];
        to->node = __atomic_load_n(&call->node, __ATOMIC_ACQUIRE);
        to->entered = load(&call->entered);
        to->made = load(&call->made);
        to->time = -to->entered - (has_totals ? 0 : load(&call->child));
    }
    /* Without totals the time of a caller ends where that of its callee begins. */
    for (uint32_t i = 0; i < count; i++)
        s->calls[i].time += has_totals || i + 1 == count ? now : s->calls[i + 1].entered;
    s->next = *list;
    *list = s;
    return 0;
}

struct times_since *times_since_find(struct times_since *list, int64_t tid)
{
    while (list && list->tid != tid)
        list = list->next;
    return list;
}

static uint32_t still_open(const struct times_since *s, const struct times_block *b)
{
    uint32_t open = open_calls(b), same = 0;
    while (same < s->count && same < open && times_since_of(s, same, &b->stack[same + 1]))
        same++;
    return same;
}

void times_since_drop(struct times_since *s, const struct times_block *b)
{
    s->count = still_open(s, b);
}

void times_since_settle(struct times_since *s, const struct times_block *b,
                        struct times_node_view v, int place)
{
    uint32_t open = still_open(s, b);
    while (s->count > open) {
        const struct times_since_call *call = &s->calls[--s->count];
        uint32_t at = times_node_index(v, call->node);
        if (at == UINT32_MAX)
            continue;
        times_node_base_at(v, place, at)->time += call->time;
        times_node_base_at(v, place, at)->made += call->made;
    }
}

const struct times_since_call *times_since_of(const struct times_since *s, uint32_t i,
                                              const struct times_call *call)
{
    return s && i < s->count &&
                   s->calls[i].node == __atomic_load_n(&call->node, __ATOMIC_ACQUIRE) &&
                   s->calls[i].entered == load(&call->entered)
               ? &s->calls[i]
               : NULL;
}

void times_since_free(struct times_since *list)
{
    while (list) {
        struct times_since *next = list->next;
        free(list);
        list = next;
    }
}
