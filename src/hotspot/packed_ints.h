/*
 * packed_ints.h - a reader of the VM's compressed numbers (UNSIGNED5): debug data and oop maps of
 * compiled code.
 *
 * The memory is read in pieces, because such data may end in front of memory that does not exist.
 * Behind the end of the memory every byte is 0, and `is_cut` says so.
 * Source: HotSpot compressedStream.hpp, unsigned5.hpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct target;

enum { PACKED_INTS_PIECE = 512 };

struct packed_ints {
    const struct target *target;
    uint64_t at, base; /* of the next byte; of bytes[0] */
    unsigned char bytes[PACKED_INTS_PIECE];
    uint32_t len;
    bool is_cut;
};

/** Begin at `at`. Only the fields that are read are written. */
static inline void packed_ints_begin(struct packed_ints *p, const struct target *t, uint64_t at)
{
    p->target = t;
    p->at = p->base = at;
    p->len = 0;
    p->is_cut = false;
}

uint32_t packed_ints_byte(struct packed_ints *p);
uint32_t packed_ints_take(struct packed_ints *p);
