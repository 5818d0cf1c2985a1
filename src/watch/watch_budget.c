/*
 * watch_budget.c - see watch_budget.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_budget.h"
#include "safe/clock.h"

/* A recording is thinned less only if the sum stays below this part of the budget, so that it is
 * not thinned and thickened in turns. */
static const double calm = 0.7;

double watch_budget_share(double events_per_s, double threads_share)
{
    return events_per_s * WATCH_BUDGET_EVENT_NS / NS_PER_S + threads_share;
}

int watch_budget_choose(const struct watch_budget_row *rows, uint32_t count, double own,
                        double budget, unsigned *ret_level)
{
    double sum = own;
    int most = -1, thin = -1;
    for (uint32_t i = 0; i < count; i++) {
        sum += rows[i].share;
        if (!rows[i].is_measured)
            continue;
        if (rows[i].level < WATCH_BUDGET_LEVELS && (most < 0 || rows[i].share > rows[most].share))
            most = (int)i;
        if (rows[i].level > 0 && (thin < 0 || rows[i].level > rows[thin].level))
            thin = (int)i;
    }
    if (sum > budget && most >= 0) {
        *ret_level = rows[most].level + 1;
        return most;
    }
    /* One level less costs twice as much. */
    if (thin >= 0 && sum + rows[thin].share < budget * calm) {
        *ret_level = rows[thin].level - 1;
        return thin;
    }
    return -1;
}
