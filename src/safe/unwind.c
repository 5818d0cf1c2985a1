/*
 * unwind.c - see unwind.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/unwind.h"

void unwind_publish(struct unwind *u, const struct cfi_map *map)
{
    atomic_store_explicit(&u->map, map, memory_order_release);
}

void unwind_publish_code(struct unwind *u, const struct unwind_code *code)
{
    atomic_store_explicit(&u->code, code, memory_order_release);
}

bool unwind_is_ready(struct unwind *u)
{
    if (u->find || atomic_load_explicit(&u->map, memory_order_acquire))
        return true;
    atomic_store_explicit(&u->wanted, 1, memory_order_relaxed);
    return false;
}

bool unwind_is_wanted(const struct unwind *u)
{
    return atomic_load_explicit(&u->wanted, memory_order_relaxed);
}

int unwind_find(const struct unwind *u, uint64_t pc, struct cfi_row *ret_row)
{
    const struct cfi_map *map = atomic_load_explicit(&u->map, memory_order_acquire);
    if (!map)
        return u->find && u->find(u->arg, pc, ret_row) && ret_row->cfa != CFI_CFA_UNKNOWN;
    const struct cfi_row *row = cfi_map_find(map, pc);
    if (!row || row->cfa == CFI_CFA_UNKNOWN)
        return 0;
    *ret_row = *row;
    return 1;
}

bool unwind_knows_code(const struct unwind *u)
{
    return atomic_load_explicit(&u->code, memory_order_acquire) != NULL;
}

bool unwind_may_be_code(const struct unwind *u, uint64_t pc)
{
    const struct unwind_code *code = atomic_load_explicit(&u->code, memory_order_acquire);
    for (uint32_t i = 0; code && i < code->count; i++) {
        if (pc - code->ranges[i].low < code->ranges[i].high - code->ranges[i].low)
            return true;
    }
    return !code;
}
