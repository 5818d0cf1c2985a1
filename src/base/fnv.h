/*
 * fnv.h - hashes of texts, which may come in pieces: FNV-1a of 64 bits.
 *
 * Not against texts that are made to collide. Source: RFC 9923. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/** The hash of what came before, FNV_START at first, and of these bytes. Context: any, signal. */
static inline uint64_t fnv_add(uint64_t hash, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * FNV_PRIME;
    return hash;
}

/** For tables that look at the low bits, which few of the last bytes reach otherwise. */
static inline uint64_t fnv_end(uint64_t hash)
{
    return hash ^ hash >> 32;
}
