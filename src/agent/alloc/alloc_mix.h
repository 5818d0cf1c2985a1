/*
 * alloc_mix.h - how a value is mixed into a key of an allocation site.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/** A new key, made of `key` and `value`. Source: MurmurHash3's finalizer. Context: any. */
static inline uint64_t alloc_mix(uint64_t key, uint64_t value)
{
    uint64_t h = (key ^ value) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}
