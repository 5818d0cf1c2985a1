/*
 * jfr_budget.c - see jfr_budget.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_budget.h"
#include <stdint.h>
#include "base/feed.h"

size_t jfr_budget_left(const struct jfr_budget *b)
{
    if (!b)
        return SIZE_MAX;
    size_t used = b->taken + (b->feed ? b->feed->len - b->feed->released : 0);
    return used < b->limit ? b->limit - used : 0;
}

bool jfr_budget_take(struct jfr_budget *b, size_t bytes)
{
    if (!b)
        return true;
    if (bytes > jfr_budget_left(b)) {
        b->is_short = true;
        return false;
    }
    b->taken += bytes;
    return true;
}

void jfr_budget_give(struct jfr_budget *b, size_t bytes)
{
    if (b)
        b->taken -= bytes;
}
