/*
 * fnv.h - hashes of texts, which may come in pieces: FNV-1a with 64 bits.
 *
 * Not for texts that an attacker can choose so that they collide. Source: RFC 9923.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/** Add bytes to a hash and return the new hash. The hash before the first bytes is FNV_START.
 * Context: any, signal. */
static inline uint64_t fnv_add(uint64_t hash, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * FNV_PRIME;
    return hash;
}

/** Mix the high bits into the low bits. Call it for tables that use the low bits as index, because
 * the last bytes of a text reach few of the low bits. */
static inline uint64_t fnv_end(uint64_t hash)
{
    return hash ^ hash >> 32;
}
