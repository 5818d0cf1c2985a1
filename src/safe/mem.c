/*
 * mem.c - see mem.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/mem.h"

uint64_t mem_view_read(struct mem_view *v, uint64_t addr, unsigned bytes)
{
    uint64_t value = 0;
    if (v->window && addr - v->low < v->high - v->low && v->high - addr >= bytes) {
        memcpy(&value, v->window + (addr - v->low), bytes);
    } else if (mem_read(v->mem, addr, &value, bytes) < 0) {
        v->faults++;
        return 0;
    }
    return value;
}
