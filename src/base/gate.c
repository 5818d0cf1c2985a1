/*
 * gate.c - see gate.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/gate.h"
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

enum {
    POLL_US = 100,
};

void gate_open(struct gate *g)
{
    atomic_store(&g->is_open, true);
}

static bool is_empty(struct gate *g)
{
    for (int i = 0; i < STRIPES; i++)
        if (atomic_load(&g->stripes[i].inside) != 0)
            return false;
    return true;
}

int gate_close(struct gate *g, int ms)
{
    atomic_store(&g->is_open, false);
    for (int waits = ms * 1000 / POLL_US; !is_empty(g) && waits > 0; waits--)
        usleep(POLL_US);
    return is_empty(g);
}

_Atomic uint32_t *gate_enter(struct gate *g)
{
    _Atomic uint32_t *inside = &g->stripes[stripe_of_thread()].inside;

    /*
     * The thread counts itself before it looks. So gate_close() sees the count, or the thread sees
     * that the gate is closed.
     */
    atomic_fetch_add(inside, 1);
    if (atomic_load(&g->is_open))
        return inside;
    gate_leave(inside);
    return NULL;
}

void gate_leave(_Atomic uint32_t *inside)
{
    atomic_fetch_sub_explicit(inside, 1, memory_order_release);
}
