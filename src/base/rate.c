/*
 * rate.c - see rate.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/rate.h"
#include "base/splitmix.h"

/* A random number below `limit`; many threads may ask at once. */
static uint32_t draw(struct rate *r, uint32_t limit)
{
    return (uint32_t)((splitmix_next_shared(&r->random) >> 32) * limit >> 32);
}

uint32_t rate_weight(struct rate *r, uint64_t now_ns)
{
    uint64_t window = now_ns / r->window_ns;
    uint64_t before = atomic_load_explicit(&r->window, memory_order_relaxed);

    if (before != window && atomic_compare_exchange_strong(&r->window, &before, window))
        atomic_store_explicit(&r->seen, 0, memory_order_relaxed);
    uint32_t n = atomic_fetch_add_explicit(&r->seen, 1, memory_order_relaxed);

    return 1 + n / r->whole;
}

uint32_t rate_take(struct rate *r, uint64_t now_ns)
{
    uint32_t weight = rate_weight(r, now_ns);

    return weight == 1 || draw(r, weight) == 0 ? weight : 0;
}
