/*
 * utf8.c - see utf8.h.
 *
 * Source: The Java Virtual Machine Specification, 4.4.7; RFC 3629.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/utf8.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/plain.h"

enum { SURROGATE = 3, FIRST_OF_THREE = 0xed };

/* The surrogate at the front, if it lies between `low` and `low` + 0x3ff; otherwise 0. */
static uint32_t surrogate(const unsigned char *at, size_t len, uint32_t low)
{
    uint32_t c;
    if (len < SURROGATE || at[0] != FIRST_OF_THREE || (at[1] & 0xc0) != 0x80 ||
        (at[2] & 0xc0) != 0x80)
        return 0;
    c = 0xd000u | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
    return c >= low && c <= low + 0x3ff ? c : 0;
}

static bool is_surrogate(const char *text, size_t len)
{
    const unsigned char *at = (const unsigned char *)text;
    return len >= SURROGATE && at[0] == FIRST_OF_THREE && at[1] >= 0xa0;
}

/* The length of the plain character at the front; 0: the character is not plain. */
static size_t character(const char *text, size_t len)
{
    size_t odd, n = 1;
    while (n < len && n < UTF8_BYTES && ((unsigned char)text[n] & 0xc0) == 0x80)
        n++;
    return is_surrogate(text, len) || plain_run(text, n, &odd) != n ? 0 : n;
}

bool utf8_is_plain(const char *text, size_t len)
{
    size_t odd;
    if (plain_run(text, len, &odd) != len)
        return false;
    for (const char *at = text; (at = memchr(at, FIRST_OF_THREE, len - (size_t)(at - text))); at++)
        if (is_surrogate(at, len - (size_t)(at - text)))
            return false;
    return true;
}

size_t utf8_next(const char *text, size_t len, unsigned char ret_bytes[UTF8_BYTES], size_t *ret_len)
{
    const unsigned char *at = (const unsigned char *)text;
    uint32_t high = surrogate(at, len, 0xd800);
    uint32_t low = high ? surrogate(at + SURROGATE, len - SURROGATE, 0xdc00) : 0;
    size_t n = character(text, len), odd;
    if (low) {
        uint32_t c = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        ret_bytes[0] = (unsigned char)(0xf0 | c >> 18);
        ret_bytes[1] = (unsigned char)(0x80 | (c >> 12 & 0x3f));
        ret_bytes[2] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
        ret_bytes[3] = (unsigned char)(0x80 | (c & 0x3f));
        *ret_len = 4;
        return (size_t)2 * SURROGATE;
    }
    if (n > 0) {
        memcpy(ret_bytes, text, n);
        *ret_len = n;
        return n;
    }
    ret_bytes[0] = '?';
    *ret_len = 1;
    if (is_surrogate(text, len))
        return SURROGATE;
    return plain_run(text, len, &odd) == 0 && odd ? odd : 1;
}
