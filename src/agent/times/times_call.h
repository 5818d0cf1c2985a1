/*
 * times_call.h - one open call of a thread, as the tracker's bytecode keeps it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct times_node;

/** One open call. The lowest entry of a stack stands for the thread itself. */
struct times_call {
    struct times_node *node;
    int64_t entered; /* in units of the clock */
    int64_t child;   /* the time of its callees that have ended */
    int64_t made;    /* how many callees have ended; with totals also the calls that these made */
};
