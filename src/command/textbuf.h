/*
 * textbuf.h - text that is built in memory fast, and written in large pieces.
 *
 * Sticky: if there is no memory, the text is dropped, later calls do no harm, and `is_bad` stays
 * set.
 *
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
    bool is_bad; /* there was no memory, and text is missing */
};

void textbuf_done(struct textbuf *t);
/** Makes room for `more` bytes. Returns whether there is room. */
bool textbuf_grow(struct textbuf *t, size_t more);
/** Writes the whole text to the sink, and empties the buffer. */
void textbuf_flush(struct textbuf *t, struct sink *s);
void textbuf_number(struct textbuf *t, int64_t number);
void textbuf_unsigned(struct textbuf *t, uint64_t number);
/** Works like textbuf_unsigned(), with zeros in front up to `digits` digits. */
void textbuf_padded(struct textbuf *t, uint64_t number, unsigned digits);
void textbuf_printf(struct textbuf *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Room for `len` bytes at the end, which textbuf_end() adds to the text; NULL: no memory. */
static inline char *textbuf_room(struct textbuf *t, size_t len)
{
    if ((!t->bytes || t->room - t->len < len) && !textbuf_grow(t, len))
        return NULL;
    return t->bytes + t->len;
}

/** Ends the text at `end`, which lies in the room that textbuf_room() returned last. */
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
 * one word. 0: no limit. */
void textbuf_wrap(struct textbuf *t, size_t start, size_t columns);
