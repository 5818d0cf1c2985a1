/*
 * watch_budget.h - which recording is thinned so that all of them stay within a share of a core.
 *
 * What a recording costs is the CPU time of the agent's own threads, and WATCH_BUDGET_EVENT_NS for
 * each event that a thread of the program was stopped for. A level more halves the rates of
 * samples. Decisions are one at a time: the next one sees what the last one did.
 * Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum {
    WATCH_BUDGET_EVENT_NS = 60000, /* docs/measurements/watch.md */
    WATCH_BUDGET_LEVELS = 6,
};

/** A recording. */
struct watch_budget_row {
    double share;     /* of a core */
    unsigned level;   /* 0: nothing is thinned */
    bool is_measured; /* `share` is of this level */
};

/** The share that events of this rate and the agent's threads cost. */
double watch_budget_share(double events_per_s, double threads_share);
/**
 * Chooses a recording whose level changes. `own` is the share of this process.
 * Returns its index and *ret_level, or -1: all is well, or nothing can be done.
 */
int watch_budget_choose(const struct watch_budget_row *rows, uint32_t count, double own,
                        double budget, unsigned *ret_level);
