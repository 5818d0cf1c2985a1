/*
 * rate.c - see rate.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/rate.h"
#include "base/splitmix.h"
#include "safe/clock.h"

void rate_init(struct rate *r, double per_s)
{
    const double windows_per_s = 10;
    double whole = per_s / windows_per_s;
    bool is_bound = whole < UINT32_MAX;
    double window_ns;
    *r = (struct rate){.whole = UINT32_MAX, .learns = true};
    if (is_bound)
        r->whole = whole < 1 ? 1 : (uint32_t)whole;
    window_ns = is_bound ? r->whole / per_s * NS_PER_S : NS_PER_S / windows_per_s;
    r->window_ns = window_ns < (double)INT64_MAX ? (uint64_t)window_ns : INT64_MAX;
}

/* A random number below `limit`; many threads may ask at once. */
static uint32_t draw(struct rate *r, uint32_t limit)
{
    return (uint32_t)((splitmix_next_shared(&r->random) >> 32) * limit >> 32);
}

static uint32_t limited(uint64_t weight)
{
    return weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
}

/* Begin a window. `passed` is the distance to the last window that had things in it. Each window
 * halves what was learned, so a burst that comes again soon finds some of it. */
static void turn(struct rate *r, uint64_t passed)
{
    enum { BITS = 32 };
    uint32_t least = atomic_load_explicit(&r->least, memory_order_relaxed);
    uint64_t seen = atomic_exchange_explicit(&r->seen, 0, memory_order_relaxed);
    uint32_t learned = limited(seen / r->whole);
    if (!r->learns)
        return;
    if (least / 2 > learned)
        learned = least / 2;
    atomic_store_explicit(&r->least, passed <= BITS ? learned >> (passed - 1) : 0,
                          memory_order_relaxed);
}

uint32_t rate_weight(struct rate *r, uint64_t now_ns, uint64_t things)
{
    uint64_t window = now_ns / r->window_ns;
    uint64_t before = atomic_load_explicit(&r->window, memory_order_relaxed);
    if (before != window && atomic_compare_exchange_strong(&r->window, &before, window))
        turn(r, window > before ? window - before : 1);
    uint64_t n = atomic_fetch_add_explicit(&r->seen, things, memory_order_relaxed);
    uint32_t least = atomic_load_explicit(&r->least, memory_order_relaxed);
    uint32_t weight = limited(1 + n / r->whole);

    return weight > least ? weight : least;
}

uint32_t rate_take(struct rate *r, uint64_t now_ns)
{
    uint32_t weight = rate_weight(r, now_ns, 1);
    return weight == 1 || draw(r, weight) == 0 ? weight : 0;
}
