/*
 * textbuf.h - text that is made in memory, fast, and goes out in large pieces.
 *
 * Sticky: without memory it drops what it has and counts on, and says so at the end.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sink;

struct textbuf {
    char *bytes;
    size_t len, room;
    bool is_bad; /* no memory: something is missing */
};

void textbuf_done(struct textbuf *t);
/** Makes room for `more` bytes. Returns whether there is. */
bool textbuf_grow(struct textbuf *t, size_t more);
/** Hands all to the sink and begins anew. */
void textbuf_flush(struct textbuf *t, struct sink *s);
void textbuf_number(struct textbuf *t, int64_t number);
void textbuf_unsigned(struct textbuf *t, uint64_t number);
/** The same in `digits` digits at least, with zeros before it. */
void textbuf_padded(struct textbuf *t, uint64_t number, unsigned digits);
void textbuf_printf(struct textbuf *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Room for `len` bytes at the end, which textbuf_end() makes part of the text; NULL: no memory. */
static inline char *textbuf_room(struct textbuf *t, size_t len)
{
    if ((!t->bytes || t->room - t->len < len) && !textbuf_grow(t, len))
        return NULL;
    return t->bytes + t->len;
}

/** The text ends at `end`, which lies within the room that was asked for last. */
static inline void textbuf_end(struct textbuf *t, const char *end)
{
    t->len = (size_t)(end - t->bytes);
}

static inline void textbuf_bytes(struct textbuf *t, const char *bytes, size_t len)
{
    char *to = textbuf_room(t, len);
    if (to) {
        memcpy(to, bytes, len);
        t->len += len;
    }
}

static inline void textbuf_text(struct textbuf *t, const char *text)
{
    textbuf_bytes(t, text, strlen(text));
}

static inline void textbuf_char(struct textbuf *t, char c)
{
    textbuf_bytes(t, &c, 1);
}

static inline void textbuf_fill(struct textbuf *t, char c, size_t count)
{
    char *to = textbuf_room(t, count);
    if (to) {
        memset(to, c, count);
        t->len += count;
    }
}
/** Breaks the lines from byte `start` on at blanks, so that each has at most `columns` bytes, or
 * one word. 0: lines may be as long as they are. */
void textbuf_wrap(struct textbuf *t, size_t start, size_t columns);
