/*
 * stop_bound.c - see stop_bound.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mem/stop_bound.h"

void stop_bound_begin(struct stop_bound *b, uint64_t now_ns)
{
    b->begin_ns = now_ns;
    b->was_over = false;
}

bool stop_bound_is_over(struct stop_bound *b, uint64_t now_ns)
{
    if (b->most_ns != 0 && now_ns - b->begin_ns >= b->most_ns)
        b->was_over = true;
    return b->was_over;
}
