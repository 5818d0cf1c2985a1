/*
 * options_testing.h - what tests make the agent do.
 *
 * Only libhprof-test.so has these options in its table. In libhprof.so their values are constants.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_testing {
    bool selftest;  /* heap dumps first check the walk of the heap */
    bool timesboth; /* cpu=times keeps a second table */
    /* cpu=times takes this as the cost around a call; 0: it measures the cost */
    long times_cost_ns;
    long dumptest;               /* what fails in the child of a heap dump */
    long noreader;               /* what this VM hides from readers: enum layout_group */
    long dump_stuck_s;           /* how long such a child may make no progress */
    long thread_late_ms;         /* how late the agent's own threads begin */
    char proc[OPTIONS_ROW_TEXT]; /* the folder that stands for /proc where limits of memory are read
                                  */
};

/** The values. Context: any. */
const struct options_testing *options_testing_of(const struct options *o);
