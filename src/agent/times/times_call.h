/*
 * times_call.h - one open call of a thread, as the tracker's bytecode keeps it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct times_node;

/** One open call. The lowest of a stack stands for the thread itself. */
struct times_call {
    struct times_node *node;
    int64_t entered; /* in units of the clock */
    int64_t child;   /* what its callees took that have ended */
    int64_t made;    /* and how many there were; with totals also those that these made */
};
