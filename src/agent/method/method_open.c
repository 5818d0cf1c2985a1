/*
 * method_open.c - see method_open.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/method/method_open.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "base/splitmix.h"
#include "safe/clock.h"

enum {
    SEARCHED = 8,   /* slots that a search looks at */
    GRAIN_LOG2 = 4, /* the beginning of a call without a slot is kept in units of 16 ns */
    SLOTS_LOG2_MAX = 15,
};

/* Key 0: free. The other fields belong to the thread of the key. */
struct slot {
    _Atomic uint64_t key;
    uint64_t start_ns;
    uint64_t off_ns; /* of a virtual thread: carried.off_ns when the call began */
    uintptr_t stack; /* of a platform thread; 0: a virtual thread */
};

/* A virtual thread with open calls. `number` 0: free. */
struct carried {
    _Atomic uint64_t number;
    uint64_t calls;
    _Atomic uint64_t off_ns;   /* time without a carrier, while calls were open */
    _Atomic uint64_t since_ns; /* it has had no carrier since then; 0: it has one */
};

static struct {
    struct slot *slots;
    struct carried *carried;
    uint32_t log2; /* of the number of slots; there are a quarter as many carried */
    uint64_t base_ns;
    _Atomic uint64_t unplaced;
} open;

int method_open_prepare(uint64_t bytes)
{
    uint32_t log2 = SLOTS_LOG2_MAX;
    if (open.slots)
        return 0;
    while (log2 > SEARCHED && ((sizeof(struct slot) + sizeof(struct carried) / 4) << log2) > bytes)
        log2--;
    struct slot *slots = calloc(((size_t)1 << log2) + SEARCHED, sizeof(*slots));
    struct carried *carried = calloc(((size_t)1 << (log2 - 2)) + SEARCHED, sizeof(*carried));
    if (!slots || !carried) {
        free(slots);
        free(carried);
        return -ENOMEM;
    }
    open.slots = slots;
    open.carried = carried;
    open.log2 = log2;
    open.base_ns = clock_monotonic_ns();
    return 0;
}

/* ---- virtual threads */

static struct carried *place_of(uint64_t number)
{
    return &open.carried[splitmix_mix(number) >> (64 - (open.log2 - 2))];
}

static struct carried *find_carried(uint64_t number)
{
    struct carried *c = place_of(number);
    for (int i = 0; i < SEARCHED; i++)
        if (atomic_load_explicit(&c[i].number, memory_order_relaxed) == number)
            return &c[i];
    return NULL;
}

/* The thread's row, a new one if it has none; NULL: there is no room. */
static struct carried *add_carried(uint64_t number)
{
    struct carried *c = find_carried(number);
    for (int i = 0; !c && i < SEARCHED; i++) {
        uint64_t none = 0;
        if (atomic_compare_exchange_strong_explicit(&place_of(number)[i].number, &none, number,
                                                    memory_order_acquire, memory_order_relaxed)) {
            c = &place_of(number)[i];
            c->calls = 0;
            atomic_store_explicit(&c->off_ns, 0, memory_order_relaxed);
            atomic_store_explicit(&c->since_ns, 0, memory_order_relaxed);
        }
    }
    return c;
}

void method_open_unmount(int64_t tid)
{
    struct carried *c = find_carried((uint64_t)tid);
    if (c)
        atomic_store_explicit(&c->since_ns, clock_monotonic_ns(), memory_order_release);
}

void method_open_mount(int64_t tid)
{
    struct carried *c = find_carried((uint64_t)tid);
    uint64_t since_ns = c ? atomic_exchange_explicit(&c->since_ns, 0, memory_order_acquire) : 0;
    if (since_ns)
        atomic_fetch_add_explicit(&c->off_ns, clock_monotonic_ns() - since_ns,
                                  memory_order_relaxed);
}

static uint64_t begin_off(uint64_t number)
{
    struct carried *c = add_carried(number);
    if (!c)
        return UINT64_MAX;
    c->calls++;
    return atomic_load_explicit(&c->off_ns, memory_order_relaxed);
}

/* How long the thread has had no carrier since begin_off() returned `before`. */
static uint64_t end_off(uint64_t number, uint64_t before)
{
    struct carried *c = before != UINT64_MAX ? find_carried(number) : NULL;
    if (!c)
        return 0;
    uint64_t off_ns = atomic_load_explicit(&c->off_ns, memory_order_relaxed) - before;
    if (--c->calls == 0)
        atomic_store_explicit(&c->number, 0, memory_order_release);
    return off_ns;
}

/* ---- calls */

enum { VIRTUAL = 1 }; /* the lowest bit of a key above the number of the method */

static uint64_t key_of(int64_t tid, uint32_t at)
{
    uint64_t thread = tid < 0 ? (uint64_t)-tid << 1 | VIRTUAL : (uint64_t)tid << 1;
    return thread << METHOD_OPEN_NUMBER_BITS | at;
}

static bool is_virtual(uint64_t key)
{
    return key >> METHOD_OPEN_NUMBER_BITS & VIRTUAL;
}

/* The value of a call without a slot. */
static int64_t unplaced(uint32_t at)
{
    uint64_t grains = (clock_monotonic_ns() - open.base_ns) >> GRAIN_LOG2;
    atomic_fetch_add_explicit(&open.unplaced, 1, memory_order_relaxed);
    return -(int64_t)(grains << METHOD_OPEN_NUMBER_BITS | at) - 1;
}

/* Begins the call in a slot that has its key. */
static int64_t fill(struct slot *s, uint64_t key, uintptr_t stack)
{
    s->stack = is_virtual(key) ? 0 : stack;
    s->off_ns = is_virtual(key) ? begin_off(key >> (METHOD_OPEN_NUMBER_BITS + 1)) : 0;
    s->start_ns = clock_monotonic_ns();
    return s - open.slots + 1;
}

int64_t method_open_begin(int64_t tid, uint32_t at, uintptr_t stack)
{
    uint64_t key = key_of(tid, at);
    struct slot *s = &open.slots[splitmix_mix(key) >> (64 - open.log2)];
    int unused = SEARCHED;
    if (tid == 0) /* the thread has no number yet */
        return unplaced(at);
    for (int i = 0; i < SEARCHED; i++) {
        uint64_t has = atomic_load_explicit(&s[i].key, memory_order_relaxed);
        if (has == key)
            return s[i].stack && stack >= s[i].stack ? fill(&s[i], key, stack) : 0;
        if (has == 0 && i < unused)
            unused = i;
    }
    for (; unused < SEARCHED; unused++) {
        uint64_t none = 0;
        if (atomic_compare_exchange_strong_explicit(&s[unused].key, &none, key,
                                                    memory_order_acquire, memory_order_relaxed))
            return fill(&s[unused], key, stack);
    }
    return unplaced(at);
}

bool method_open_end(int64_t kept, struct method_open_call *ret)
{
    enum { NUMBERS = (1 << METHOD_OPEN_NUMBER_BITS) - 1 };
    if (kept == 0)
        return false;
    if (kept < 0) {
        uint64_t packed = (uint64_t) - (kept + 1);
        *ret = (struct method_open_call){
            .at = (uint32_t)(packed & NUMBERS),
            .start_ns = open.base_ns + (packed >> METHOD_OPEN_NUMBER_BITS << GRAIN_LOG2),
        };
        return true;
    }
    struct slot *s = &open.slots[kept - 1];
    uint64_t key = atomic_load_explicit(&s->key, memory_order_relaxed);
    if (key == 0) /* another call of the thread has taken the slot for one that is over */
        return false;
    *ret = (struct method_open_call){.at = (uint32_t)(key & NUMBERS), .start_ns = s->start_ns};
    if (is_virtual(key))
        ret->off_ns = end_off(key >> (METHOD_OPEN_NUMBER_BITS + 1), s->off_ns);
    atomic_store_explicit(&s->key, 0, memory_order_release);
    return true;
}

uint64_t method_open_unplaced(void)
{
    return atomic_load_explicit(&open.unplaced, memory_order_relaxed);
}
