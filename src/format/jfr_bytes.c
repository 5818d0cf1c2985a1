/*
 * jfr_bytes.c - see jfr_bytes.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_bytes.h"
#include <errno.h>
#include <string.h>
#include "base/pages.h"
#include "jfr/jfr_layout.h"

enum {
    TEXT_MAX = 8191,
    SHORT_MAX = 127, /* largest integer that takes one byte */
};

int jfr_bytes_open(struct jfr_bytes *b, size_t size)
{
    *b = (struct jfr_bytes){.at = pages_map(size), .size = size};
    return b->at ? 0 : -ENOMEM;
}

void jfr_bytes_close(struct jfr_bytes *b)
{
    pages_unmap(b->at, b->size);
    *b = (struct jfr_bytes){0};
}

void jfr_bytes_cut(struct jfr_bytes *b, size_t used)
{
    b->used = used;
    b->is_full = false;
}

static bool has_room(struct jfr_bytes *b, size_t len)
{
    if (len > b->size - b->used)
        b->is_full = true;
    return !b->is_full;
}

void jfr_bytes_raw(struct jfr_bytes *b, const void *bytes, size_t len)
{
    if (len == 0 || !has_room(b, len))
        return;
    memcpy(b->at + b->used, bytes, len);
    b->used += len;
}

void jfr_bytes_u1(struct jfr_bytes *b, uint8_t v)
{
    if (has_room(b, 1))
        b->at[b->used++] = v;
}

void jfr_bytes_leb(struct jfr_bytes *b, uint64_t v)
{
    unsigned char *p = b->at + b->used;
    size_t n = 0;
    if (!has_room(b, JFR_LAYOUT_LEB_MAX))
        return;
    while (v > 0x7f && n < JFR_LAYOUT_LEB_MAX - 1) {
        p[n++] = (unsigned char)(v | 0x80);
        v >>= 7;
    }
    p[n++] = (unsigned char)v;
    b->used += n;
}

size_t jfr_bytes_later(struct jfr_bytes *b)
{
    size_t at = b->used;
    if (has_room(b, JFR_BYTES_LATER))
        b->used += JFR_BYTES_LATER;
    return at;
}

void jfr_bytes_set(struct jfr_bytes *b, size_t at, uint32_t v)
{
    if (b->is_full)
        return;
    for (size_t i = 0; i < JFR_BYTES_LATER; i++, v >>= 7)
        b->at[at + i] = (unsigned char)((v & 0x7f) | (i + 1 < JFR_BYTES_LATER ? 0x80 : 0));
}

size_t jfr_bytes_begin(struct jfr_bytes *b)
{
    size_t start = b->used;
    jfr_bytes_u1(b, 0);
    return start;
}

/* Most events are short, so one byte was left for the size. A longer event is moved to make
 * room. */
bool jfr_bytes_end(struct jfr_bytes *b, size_t start)
{
    enum { MORE = JFR_BYTES_LATER - 1 };
    size_t size = b->used - start;
    if (!b->is_full && size <= SHORT_MAX) {
        b->at[start] = (unsigned char)size;
    } else if (has_room(b, MORE)) {
        memmove(b->at + start + JFR_BYTES_LATER, b->at + start + 1, size - 1);
        b->used += MORE;
        jfr_bytes_set(b, start, (uint32_t)(size + MORE));
    }
    if (!b->is_full)
        return true;
    jfr_bytes_cut(b, start);
    return false;
}

static void put_big(struct jfr_bytes *b, uint64_t v, size_t len)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < len; i++)
        bytes[i] = (unsigned char)(v >> (8 * (len - 1 - i)));
    jfr_bytes_raw(b, bytes, len);
}

void jfr_bytes_float(struct jfr_bytes *b, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof(bits));
    put_big(b, bits, sizeof(bits));
}

void jfr_bytes_double(struct jfr_bytes *b, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    put_big(b, bits, sizeof(bits));
}

/* Whether the two bytes at `p` are the VM's encoding of a zero character. */
static bool is_zero(const unsigned char *p, size_t len)
{
    return len >= 2 && p[0] == 0xc0 && p[1] == 0x80;
}

/* Whether the six bytes at `p` are the two surrogates of one character. */
static bool is_pair(const unsigned char *p, size_t len)
{
    return len >= 6 && p[0] == 0xed && (p[1] & 0xf0) == 0xa0 && p[3] == 0xed &&
           (p[4] & 0xf0) == 0xb0;
}

static uint32_t character_of(const unsigned char *p)
{
    uint32_t high = (uint32_t)(p[1] & 0x0f) << 6 | (p[2] & 0x3f);
    uint32_t low = (uint32_t)(p[4] & 0x0f) << 6 | (p[5] & 0x3f);
    return 0x10000 + (high << 10 | low);
}

/* Writes standard UTF-8 for the VM's modified UTF-8, which encodes zeros and characters above 16
 * bits in another way. */
static void put_utf8(struct jfr_bytes *b, const unsigned char *p, size_t len, char from, char to)
{
    for (size_t i = 0; i < len;) {
        if (is_pair(p + i, len - i)) {
            uint32_t c = character_of(p + i);
            const unsigned char bytes[] = {
                (unsigned char)(0xf0 | c >> 18), (unsigned char)(0x80 | (c >> 12 & 0x3f)),
                (unsigned char)(0x80 | (c >> 6 & 0x3f)), (unsigned char)(0x80 | (c & 0x3f))};
            jfr_bytes_raw(b, bytes, sizeof(bytes));
            i += 6;
        } else if (is_zero(p + i, len - i)) {
            jfr_bytes_u1(b, 0);
            i += 2;
        } else {
            jfr_bytes_u1(b, p[i] == (unsigned char)from ? (unsigned char)to : p[i]);
            i++;
        }
    }
}

/* The length of a text after it was cut between two characters. */
static size_t cut(const char *text, size_t len)
{
    if (len <= TEXT_MAX)
        return len;
    len = TEXT_MAX;
    while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--;
    return len;
}

void jfr_bytes_text_with(struct jfr_bytes *b, const char *text, size_t len, char from, char to)
{
    size_t before = b->used + 1, at;
    if (!text || len == 0) {
        jfr_bytes_u1(b, text ? JFR_LAYOUT_STRING_EMPTY : JFR_LAYOUT_STRING_NULL);
        return;
    }
    len = cut(text, len);
    jfr_bytes_u1(b, JFR_LAYOUT_STRING_UTF8);
    jfr_bytes_leb(b, len);
    at = b->used;
    put_utf8(b, (const unsigned char *)text, len, from, to);
    if (b->is_full || b->used - at == len)
        return;
    /* The length in standard UTF-8 is different: write it again, and move the text behind it. */
    len = b->used - at;
    jfr_bytes_cut(b, before);
    jfr_bytes_leb(b, len);
    memmove(b->at + b->used, b->at + at, len);
    b->used += len;
}

void jfr_bytes_text(struct jfr_bytes *b, const char *text, size_t len)
{
    jfr_bytes_text_with(b, text, len, '\0', '\0');
}
