/*
 * options_testing.h - what tests make the agent do; the agent that people use knows none of it.
 *
 * Only libhprof-test.so has these options in its table. In libhprof.so their values are constants.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_testing {
    bool selftest;      /* heap dumps check the walk of the heap first */
    bool timesboth;     /* cpu=times keeps a second table */
    long times_cost_ns; /* cpu=times finds that a call costs so much around it; 0: what it finds */
    long dumptest;      /* what goes wrong in the child of a heap dump */
    long noreader;      /* what of this VM cannot be read: enum layout_group */
    long dump_stuck_s;  /* how long such a child may stand still */
};

/** Context: any. */
const struct options_testing *options_testing_of(const struct options *o);
