/*
 * be.h - big-endian numbers in memory whose bounds the caller has checked.
 *
 * rd.h reads bytes once from front to back, and sink.h writes files. These functions are for bytes
 * that a caller walks through, patches in place or puts together in a buffer. Each be_put function
 * returns the address behind the bytes that it wrote.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include <string.h>

static inline uint16_t be_2(const uint8_t *b)
{
    return (uint16_t)(b[0] << 8 | b[1]);
}

static inline uint32_t be_4(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static inline uint64_t be_8(const uint8_t *b)
{
    return (uint64_t)be_4(b) << 32 | be_4(b + 4);
}

static inline int32_t be_s2(const uint8_t *b)
{
    return (int16_t)be_2(b);
}

static inline int32_t be_s4(const uint8_t *b)
{
    return (int32_t)be_4(b);
}

/** An identifier of `size` bytes, 4 or 8. */
static inline uint64_t be_id(const uint8_t *b, unsigned size)
{
    return size == 8 ? be_8(b) : be_4(b);
}

static inline uint8_t *be_put1(uint8_t *to, uint8_t v)
{
    *to = v;
    return to + 1;
}

static inline uint8_t *be_put2(uint8_t *to, uint16_t v)
{
    v = __builtin_bswap16(v);
    memcpy(to, &v, sizeof(v));
    return to + sizeof(v);
}

static inline uint8_t *be_put4(uint8_t *to, uint32_t v)
{
    v = __builtin_bswap32(v);
    memcpy(to, &v, sizeof(v));
    return to + sizeof(v);
}

static inline uint8_t *be_put8(uint8_t *to, uint64_t v)
{
    v = __builtin_bswap64(v);
    memcpy(to, &v, sizeof(v));
    return to + sizeof(v);
}

/** Writes an identifier of `size` bytes, 4 or 8. */
static inline uint8_t *be_put_id(uint8_t *to, uint64_t id, unsigned size)
{
    return size == 8 ? be_put8(to, id) : be_put4(to, (uint32_t)id);
}
