/*
 * textbuf.c - see textbuf.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/textbuf.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/sink.h"

enum { ROOM_MIN = 1 << 16, DIGITS_MAX = 24, LINE = 512 };

void textbuf_done(struct textbuf *t)
{
    free(t->bytes);
    *t = (struct textbuf){0};
}

bool textbuf_grow(struct textbuf *t, size_t more)
{
    size_t room = t->room > 0 ? t->room : ROOM_MIN;
    char *bytes;
    while (room - t->len < more)
        room *= 2;
    bytes = realloc(t->bytes, room);
    if (!bytes) {
        t->len = 0;
        t->is_bad = true;
        return false;
    }
    t->bytes = bytes;
    t->room = room;
    return true;
}

void textbuf_flush(struct textbuf *t, struct sink *s)
{
    sink_bytes(s, t->bytes, t->len);
    t->len = 0;
}

void textbuf_padded(struct textbuf *t, uint64_t number, unsigned digits)
{
    char room[DIGITS_MAX], *at = room + sizeof(room);
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (room + sizeof(room) - at < (long)digits)
        *--at = '0';
    textbuf_bytes(t, at, (size_t)(room + sizeof(room) - at));
}

void textbuf_unsigned(struct textbuf *t, uint64_t number)
{
    textbuf_padded(t, number, 1);
}

void textbuf_number(struct textbuf *t, int64_t number)
{
    if (number < 0)
        textbuf_char(t, '-');
    textbuf_unsigned(t, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void textbuf_printf(struct textbuf *t, const char *format, ...)
{
    char line[LINE];
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    if (len > 0)
        textbuf_bytes(t, line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1);
}

void textbuf_wrap(struct textbuf *t, size_t start, size_t columns)
{
    size_t line = start, blank = start;
    for (size_t i = start; columns > 0 && i < t->len; i++) {
        if (t->bytes[i] == ' ')
            blank = i;
        if (i - line >= columns && blank > line && t->bytes[i] != '\n') {
            t->bytes[blank] = '\n';
            line = blank + 1;
        }
        if (t->bytes[i] == '\n')
            line = blank = i + 1;
    }
}
