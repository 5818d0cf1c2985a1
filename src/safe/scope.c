/*
 * scope.c - see scope.h.
 *
 * The thread that stores to a cell and to the pointer is the thread whose handler reads them. Only
 * two things matter therefore: the order of the stores in the program, and that no store is torn.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/scope.h"
#include <stddef.h>
#include <string.h>

static __thread struct scope_thread *mine;

void scope_bind(struct scope_thread *t)
{
    *(struct scope_thread *volatile *)&mine = t;
}

struct scope_thread *scope_mine(void)
{
    return mine;
}

static void read_cell(const struct scope_thread *t, struct scope_values *ret)
{
    const struct scope_cell *c = t ? atomic_load_explicit(&t->current, memory_order_acquire) : NULL;
    for (int i = 0; i < SCOPE_KEYS; i++)
        ret->of[i] = c ? atomic_load_explicit(&c->words.value[i], memory_order_relaxed) : 0;
}

void scope_read_of(const struct scope_thread *t, struct scope_values *ret)
{
    read_cell(t, ret);
    memset(&ret->published, 0, sizeof(ret->published));
}

void scope_read(struct scope_values *ret)
{
    read_cell(mine, ret);
    otel_thread_read(&ret->published);
}
