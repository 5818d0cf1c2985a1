/*
 * scope_record.c - see scope_record.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/scope/scope_record.h"
#include <stddef.h>
#include <string.h>

_Static_assert(offsetof(struct scope_record, generation) == 640, "as in Record.java");
_Static_assert(offsetof(struct scope_record, sizes) == 644, "as in Record.java");
_Static_assert(offsetof(struct scope_record, trace) == 776, "as in Record.java");
_Static_assert(offsetof(struct scope_record, ids) == 800, "as in Record.java");
_Static_assert(sizeof(scope_record_variable) == 8, "readers expect a pointer of 64 bits");

struct scope_record_state scope_record_state;

/*
 * Readers find the variable by this name. It is exported and reached by a TLS descriptor, which is
 * what the specification asks for: a reader takes the place from the descriptor. So it must not be
 * bound inside the library (-Bsymbolic, protected). If a library that was loaded before has the
 * same variable, the linker may take that one; then nothing is published (scope_publish.h).
 */
extern __thread scope_record_variable otel_thread_ctx_v1;
__attribute__((visibility("default"))) __thread scope_record_variable otel_thread_ctx_v1;

/* The publication before this one; 0 is left out. */
static uint32_t last;

scope_record_variable *scope_record_mine(void)
{
    return &otel_thread_ctx_v1;
}

bool scope_record_is_current(const struct scope_record *r)
{
    uint32_t now = atomic_load(&scope_record_state.generation);
    return now != 0 && atomic_load(&r->generation) == now;
}

void scope_record_reset(struct scope_record *r)
{
    memset(r, 0, sizeof(*r));
    r->head.valid = 1;
    atomic_store(&r->generation, atomic_load(&scope_record_state.generation));
}

/*
 * The publication may end between the look and the store: then the end has seen the variable before
 * the store, and this function sees the end after it.
 */
void scope_record_show(scope_record_variable *variable, const struct scope_record *r)
{
    uint32_t now = atomic_load(&scope_record_state.generation);
    if (!variable)
        return;
    bool is_shown = now != 0 && r && atomic_load(&r->generation) == now;
    atomic_store(variable, is_shown ? (struct otel_thread_head *)&r->head : NULL);
    if (is_shown && atomic_load(&scope_record_state.generation) != now)
        atomic_store(variable, NULL);
}

void scope_record_begin(void)
{
    last = last == UINT32_MAX ? 1 : last + 1;
    atomic_store(&scope_record_state.generation, last);
}

void scope_record_end(void)
{
    atomic_store(&scope_record_state.generation, 0);
}
