/*
 * jfr_text.c - see jfr_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_text.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPLACEMENT = 0xfffd,
    UTF8_MAX = 3, /* bytes for one byte of the file: an illegal byte becomes U+FFFD */
};

struct jfr_text jfr_text_read(struct leb *l)
{
    struct jfr_text text = {.encoding = leb_byte(l)};
    switch (text.encoding) {
    case JFR_LAYOUT_STRING_NULL:
    case JFR_LAYOUT_STRING_EMPTY:
        return text;
    case JFR_LAYOUT_STRING_POOL:
        text.key = leb_number(l);
        return text;
    case JFR_LAYOUT_STRING_UTF8:
    case JFR_LAYOUT_STRING_LATIN1: {
        uint64_t len = leb_number(l);

        text.bytes = l->at;
        leb_skip(l, len);
        text.len = (size_t)len;
        break;
    }
    case JFR_LAYOUT_STRING_CHARS: {
        uint64_t units = leb_number(l);

        text.bytes = l->at;
        if (units > leb_left(l))
            leb_fail(l);
        else
            leb_skip_numbers(l, units);
        text.len = (size_t)(l->at - text.bytes);
        break;
    }
    default:
        leb_fail(l);
    }
    return l->is_bad ? (struct jfr_text){0} : text;
}

void jfr_text_skip(struct leb *l)
{
    jfr_text_read(l);
}

size_t jfr_text_room(const struct jfr_text *text)
{
    return text->len * UTF8_MAX;
}

static char *put(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    return to;
}

static char *put_latin1(const struct jfr_text *text, char *to)
{
    for (size_t i = 0; i < text->len; i++)
        to = put(to, text->bytes[i]);
    return to;
}

/* Writes UTF-16 units; a pair of surrogates becomes one character. */
static char *put_chars(const struct jfr_text *text, char *to)
{
    struct leb l = leb_over(text->bytes, text->len);
    uint32_t high = 0;
    while (leb_left(&l) > 0) {
        uint32_t unit = (uint16_t)leb_number(&l);
        if (high != 0 && unit >= 0xdc00 && unit < 0xe000) {
            to = put(to, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
            high = 0;
            continue;
        }
        if (high != 0)
            to = put(to, REPLACEMENT);
        high = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
        if (high == 0)
            to = put(to, unit >= 0xdc00 && unit < 0xe000 ? REPLACEMENT : unit);
    }
    return high != 0 ? put(to, REPLACEMENT) : to;
}

/*
 * The length of the legal UTF-8 character at `at`, or 0; then *ret_bad bytes are one error. The
 * longest beginning of a legal character counts as one error.
 * Source: Unicode 3.9, table 3-7.
 */
static size_t legal(const uint8_t *at, size_t left, size_t *ret_bad)
{
    static const struct {
        uint8_t first, last, low, high, more;
    } rows[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 1}, {0xe0, 0xe0, 0xa0, 0xbf, 2}, {0xe1, 0xec, 0x80, 0xbf, 2},
        {0xed, 0xed, 0x80, 0x9f, 2}, {0xee, 0xef, 0x80, 0xbf, 2}, {0xf0, 0xf0, 0x90, 0xbf, 3},
        {0xf1, 0xf3, 0x80, 0xbf, 3}, {0xf4, 0xf4, 0x80, 0x8f, 3},
    };
    *ret_bad = 1;
    if (*at < 0x80)
        return 1;
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        if (*at < rows[r].first || *at > rows[r].last)
            continue;
        size_t n = 1;
        while (n <= rows[r].more && n < left && at[n] >= (n == 1 ? rows[r].low : 0x80) &&
               at[n] <= (n == 1 ? rows[r].high : 0xbf))
            n++;
        *ret_bad = n;
        return n > rows[r].more ? n : 0;
    }
    return 0;
}

static char *put_utf8(const struct jfr_text *text, char *to)
{
    const uint8_t *at = text->bytes, *end = at + text->len;
    while (at < end) {
        size_t bad, n = legal(at, (size_t)(end - at), &bad);
        if (n > 0)
            memcpy(to, at, n);
        to = n > 0 ? to + n : put(to, REPLACEMENT);
        at += n > 0 ? n : bad;
    }
    return to;
}

size_t jfr_text_utf8(const struct jfr_text *text, char *to)
{
    switch (text->encoding) {
    case JFR_LAYOUT_STRING_UTF8:
        return (size_t)(put_utf8(text, to) - to);
    case JFR_LAYOUT_STRING_CHARS:
        return (size_t)(put_chars(text, to) - to);
    case JFR_LAYOUT_STRING_LATIN1:
        return (size_t)(put_latin1(text, to) - to);
    default:
        return 0;
    }
}

bool jfr_text_is(const struct jfr_text *text, const char *utf8, size_t len)
{
    char room[256];
    if (text->encoding == JFR_LAYOUT_STRING_UTF8)
        return text->len == len && memcmp(text->bytes, utf8, len) == 0;
    return jfr_text_room(text) <= sizeof(room) && jfr_text_utf8(text, room) == len &&
           memcmp(room, utf8, len) == 0;
}
