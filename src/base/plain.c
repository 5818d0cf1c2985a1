/*
 * plain.c - see plain.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/plain.h"
#include <stdint.h>
#include <string.h>
#include "base/sink.h"

/* The length of a character in bytes, by its first byte; 0 if no character begins with this
 * byte. */
static size_t length_of(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc0 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* The character at the front. *ret_bytes is its length; 0: it is no character, or not whole. */
static uint32_t take(const unsigned char *at, size_t len, size_t *ret_bytes)
{
    size_t bytes = length_of(at[0]);
    uint32_t c = bytes < 2 ? at[0] : at[0] & (0x7fu >> bytes);
    *ret_bytes = 0;
    if (bytes == 0 || bytes > len)
        return 0;
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (at[i] & 0x3f);
    }
    *ret_bytes = bytes;
    return c;
}

/* Source: Unicode, categories Cc, Zl and Zp, and Bidi_Control. */
static bool is_odd(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } rows[] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},  {0x200e, 0x200f},
        {0x2028, 0x202e}, {0x2066, 0x2069}, {0x110000, ~0u},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (c >= rows[i].first && c <= rows[i].last)
            return true;
    }
    return false;
}

size_t plain_run(const char *text, size_t len, size_t *ret_odd)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t at = 0;
    *ret_odd = 0;
    while (at < len) {
        if (bytes[at] >= ' ' && bytes[at] < 0x7f) { /* nearly all text is of such characters */
            at++;
            continue;
        }
        size_t n;
        uint32_t c = take(bytes + at, len - at, &n);
        if (n == 0 || is_odd(c) || (n > 1 && c < 0x80)) {
            *ret_odd = n ? n : 1;
            break;
        }
        at += n;
    }
    return at;
}

bool plain_is_cut(const char *text, size_t len)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (len == 0 || length_of(bytes[0]) <= len)
        return false;
    for (size_t i = 1; i < len; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return false;
    }
    return true;
}

void plain_put(struct sink *s, const char *text, size_t len)
{
    while (len > 0) {
        size_t odd, n = plain_run(text, len, &odd);
        sink_bytes(s, text, n);
        if (odd)
            sink_u1(s, text[n] == '\n' || text[n] == '\r' ? ' ' : '?');
        text += n + odd;
        len -= n + odd;
    }
}

size_t plain_copy(char *to, size_t room, const char *text)
{
    size_t at = 0, len = strlen(text);
    while (len > 0 && at + 1 < room) {
        size_t odd, n = plain_run(text, len < room - 1 - at ? len : room - 1 - at, &odd);
        memcpy(to + at, text, n);
        at += n;
        if (odd != 0)
            to[at++] = '?';
        text += n + odd;
        len -= n + odd;
    }
    to[at] = '\0';
    return at;
}
