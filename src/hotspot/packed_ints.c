/*
 * packed_ints.c - see packed_ints.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/packed_ints.h"
#include "hotspot/target.h"
#include "safe/mem.h"

enum {
    /* A number has five bytes at most; a byte below LAST_BELOW ends it, each byte has six bits. */
    LAST_BELOW = 192,
    BITS = 6,
    BITS_MAX = 30,
};

uint32_t packed_ints_byte(struct packed_ints *p)
{
    if (p->at - p->base >= p->len) {
        p->base = p->at;
        p->len = 0;
        for (uint32_t n = PACKED_INTS_PIECE; n > 0 && p->len == 0; n /= 2) {
            if (mem_read(p->target->mem, p->at, p->bytes, n) == 0)
                p->len = n;
        }
        if (p->len == 0) {
            p->is_cut = true;
            return 0;
        }
    }
    return p->bytes[p->at++ - p->base];
}

uint32_t packed_ints_take(struct packed_ints *p)
{
    uint32_t excluded = (uint32_t)p->target->layout->unsigned5_excluded, sum = 0;
    for (uint32_t shift = 0; shift < BITS_MAX; shift += BITS) {
        uint32_t b = packed_ints_byte(p);
        sum += (b - excluded) << shift;
        if (b < LAST_BELOW)
            break;
    }
    return sum;
}
