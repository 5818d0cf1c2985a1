/*
 * be.h - big-endian numbers at addresses whose bounds were checked before.
 *
 * base/rd.h is for what is read once; this is for bytes that are walked and patched in place.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

static inline uint16_t be_2(const uint8_t *b)
{
    return (uint16_t)(b[0] << 8 | b[1]);
}

static inline uint32_t be_4(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static inline int32_t be_s2(const uint8_t *b)
{
    return (int16_t)be_2(b);
}

static inline int32_t be_s4(const uint8_t *b)
{
    return (int32_t)be_4(b);
}

static inline void be_put2(uint8_t *b, uint16_t v)
{
    b[0] = (uint8_t)(v >> 8);
    b[1] = (uint8_t)v;
}

static inline void be_put4(uint8_t *b, uint32_t v)
{
    be_put2(b, (uint16_t)(v >> 16));
    be_put2(b + 2, (uint16_t)v);
}
