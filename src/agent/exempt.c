/*
 * exempt.c - see exempt.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/exempt.h"
#include <stdatomic.h>
#include <unistd.h>

enum { PLACES = 8 };

static _Atomic int32_t exempt[PLACES]; /* 0: a free place */

static void change(int32_t from, int32_t to)
{
    for (int i = 0; i < PLACES; i++) {
        int32_t there = from;
        if (atomic_compare_exchange_strong(&exempt[i], &there, to))
            return;
    }
}

void exempt_begin(void)
{
    change(0, gettid());
}

void exempt_end(void)
{
    change(gettid(), 0);
}

bool exempt_has(int32_t tid)
{
    for (int i = 0; i < PLACES; i++)
        if (atomic_load(&exempt[i]) == tid)
            return true;
    return false;
}
