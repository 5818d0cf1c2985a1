/*
 * verify_shadow.c - see verify_shadow.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify_shadow.h"
#include <stdatomic.h>
#include <stddef.h>
#include "agent/verify/verify_table.h"
#include "base/lock.h"
#include "base/pages.h"

enum { INDEX_BITS = 16 };

struct entry {
    uint64_t serial;
    uint32_t number;
    /* of the tracker's frame, which is below the frame of the method */
    uintptr_t sp;
    uint32_t watched[VERIFY_SHADOW_WATCHERS]; /* comparisons that wait for the end of this entry */
    struct verify_example *example[VERIFY_SHADOW_WATCHERS];
};

struct shadow {
    volatile uint32_t busy, depth;
    uint64_t serial;
    struct shadow *next; /* used while this stack is free */
    struct entry entries[VERIFY_SHADOW_MAX];
};

static __thread struct shadow *mine;
static struct lock lock = LOCK_INIT(SHADOWS);
static struct shadow *unused;

static const struct {
    enum verify_count wrong, unwound, open;
} results[VERIFY_SHADOW_WATCHERS] = {
    [VERIFY_SHADOW_WALK] = {VERIFY_SHADOW_WRONG, VERIFY_SHADOW_UNWOUND, VERIFY_SHADOW_OPEN},
    [VERIFY_SHADOW_ENTRY] = {VERIFY_ENTRY_WRONG, VERIFY_ENTRY_UNWOUND, VERIFY_ENTRY_OPEN},
};

static struct shadow *make(void)
{
    struct shadow *s;
    lock_take(&lock);
    s = unused;
    if (s)
        unused = s->next;
    lock_give(&lock);
    if (s)
        return s;
    return pages_map(sizeof(*s));
}

static void begin(struct shadow *s)
{
    s->busy = 1;
    atomic_signal_fence(memory_order_seq_cst);
}

static void end(struct shadow *s)
{
    atomic_signal_fence(memory_order_seq_cst);
    s->busy = 0;
}

enum how { RETURNED, UNWOUND, UNSEEN };

/* The topmost entry ends; this decides the comparisons that missed it. */
static void pop(struct shadow *s, enum how how)
{
    struct entry *e = &s->entries[--s->depth];
    for (int w = 0; w < VERIFY_SHADOW_WATCHERS; w++) {
        if (!e->watched[w])
            continue;
        verify_table_add(how == RETURNED  ? results[w].wrong
                         : how == UNWOUND ? results[w].unwound
                                          : results[w].open,
                         e->watched[w]);
        if (how == RETURNED && e->example[w])
            verify_table_confirm(e->example[w]);
        e->watched[w] = 0;
        e->example[w] = NULL;
    }
}

static void pop_to(struct shadow *s, uint32_t depth, enum how how)
{
    while (s->depth > depth)
        pop(s, how);
}

/* The depth of the entry of a token (1: the outermost); 0: the entry is gone. */
static uint32_t depth_of(const struct shadow *s, int64_t token)
{
    uint32_t index = (uint32_t)token & ((1u << INDEX_BITS) - 1);
    return token != 0 && index < s->depth &&
                   s->entries[index].serial == (uint64_t)token >> INDEX_BITS
               ? index + 1
               : 0;
}

int64_t verify_shadow_enter(uint32_t number)
{
    struct shadow *s = mine;
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    struct entry *e;
    int64_t token = 0;
    if (!s) {
        s = make();
        if (!s)
            return 0;
        atomic_signal_fence(memory_order_seq_cst);
        mine = s;
    }
    begin(s);
    /* Stacks grow down: frames below the frame that calls us have ended. */
    while (s->depth > 0 && s->entries[s->depth - 1].sp < sp)
        pop(s, UNWOUND);
    if (s->depth < VERIFY_SHADOW_MAX) {
        e = &s->entries[s->depth];
        e->serial = ++s->serial;
        e->number = number;
        e->sp = sp;
        token = (int64_t)(e->serial << INDEX_BITS | s->depth);
        s->depth++;
    }
    end(s);
    return token;
}

/* The method of a token runs now: all entries above its entry have ended. */
static void unwind(int64_t token, int returns)
{
    struct shadow *s = mine;
    uint32_t depth = s ? depth_of(s, token) : 0;
    if (depth == 0)
        return;
    begin(s);
    pop_to(s, depth, UNWOUND);
    if (returns)
        pop(s, RETURNED);
    end(s);
}

void verify_shadow_exit(int64_t token)
{
    unwind(token, 1);
}

void verify_shadow_caught(int64_t token)
{
    unwind(token, 0);
}

void verify_shadow_clear(void)
{
    struct shadow *s = mine;
    if (!s)
        return;
    begin(s);
    pop_to(s, 0, UNSEEN);
    end(s);
}

void verify_shadow_end(void)
{
    struct shadow *s = mine;
    if (!s)
        return;
    verify_shadow_clear();
    mine = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    lock_take(&lock);
    s->next = unused;
    unused = s;
    lock_give(&lock);
}

int verify_shadow_read(uint32_t *ret_numbers, uint32_t max)
{
    const struct shadow *s = mine;
    uint32_t count = s ? s->depth : 0;
    if (s && s->busy)
        return VERIFY_SHADOW_BUSY;
    count = count < max ? count : max;
    for (uint32_t i = 0; i < count; i++)
        ret_numbers[i] = s->entries[i].number;
    return (int)count;
}

void verify_shadow_watch(uint32_t index, enum verify_shadow_watcher watcher,
                         struct verify_example *e)
{
    struct entry *entry = &mine->entries[index];
    entry->watched[watcher]++;
    if (!entry->example[watcher])
        entry->example[watcher] = e; /* only the first of several examples is shown */
}
