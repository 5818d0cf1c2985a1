/*
 * sink.c - the buffered writer: see sink.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/sink.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int sink_init(struct sink *s, int fd)
{
    *s = (struct sink){.fd = fd};
    s->buffer = malloc(SINK_BUFFER);
    if (!s->buffer)
        s->error = -ENOMEM;
    return s->error;
}

int sink_init_taker(struct sink *s, sink_taker *take, void *to)
{
    int error = sink_init(s, -1);
    s->take = take;
    s->to = to;
    return error;
}

int sink_done(struct sink *s)
{
    int error = sink_flush(s);
    free(s->buffer);
    s->buffer = NULL;
    if (s->error == 0)
        s->error = -EBADF; /* a write after the end is an error */
    return error;
}

static void write_out(struct sink *s, const unsigned char *bytes, size_t len)
{
    if (s->take && len > 0) {
        s->error = s->take(s->to, bytes, len);
        s->written += s->error == 0 ? len : 0;
        return;
    }
    while (len > 0 && s->error == 0) {
        size_t piece = s->ask && len > SINK_PIECE ? SINK_PIECE : len;
        if (s->ask)
            s->error = s->ask(s->asker);
        if (s->error != 0)
            return;
        ssize_t n = s->fd < 0 ? (ssize_t)piece : write(s->fd, bytes, piece);
        if (n > 0) {
            s->written += (uint64_t)n;
            bytes += n;
            len -= (size_t)n;
        } else if (n == 0) {
            s->error = -EIO;
        } else if (errno != EINTR) {
            s->error = -errno;
        }
    }
}

int sink_flush(struct sink *s)
{
    if (s->error == 0)
        write_out(s, s->buffer, s->used);
    s->used = 0;
    return s->error;
}

void sink_bytes(struct sink *s, const void *bytes, size_t len)
{
    if (s->error != 0 || len == 0)
        return;
    if (len > SINK_BUFFER - s->used)
        sink_flush(s);
    if (s->error != 0)
        return;
    if (len >= SINK_BUFFER) {
        write_out(s, bytes, len);
        return;
    }
    memcpy(s->buffer + s->used, bytes, len);
    s->used += len;
}

void sink_text(struct sink *s, const char *text)
{
    sink_bytes(s, text, strlen(text));
}

void sink_u1(struct sink *s, uint8_t v)
{
    sink_bytes(s, &v, 1);
}

void sink_u2(struct sink *s, uint16_t v)
{
    unsigned char b[2] = {(unsigned char)(v >> 8), (unsigned char)v};
    sink_bytes(s, b, sizeof(b));
}

void sink_u4(struct sink *s, uint32_t v)
{
    unsigned char b[4] = {(unsigned char)(v >> 24), (unsigned char)(v >> 16),
                          (unsigned char)(v >> 8), (unsigned char)v};
    sink_bytes(s, b, sizeof(b));
}

void sink_u8(struct sink *s, uint64_t v)
{
    sink_u4(s, (uint32_t)(v >> 32));
    sink_u4(s, (uint32_t)v);
}

/* Writes a text that is longer than the buffer. */
static void print_long(struct sink *s, size_t len, const char *format, va_list args)
{
    char *text = malloc(len + 1);
    if (!text) {
        s->error = -ENOMEM;
        return;
    }
    vsnprintf(text, len + 1, format, args);
    sink_bytes(s, text, len);
    free(text);
}

void sink_printf(struct sink *s, const char *format, ...)
{
    if (s->error != 0)
        return;
    for (int tries = 0; tries < 2; tries++) {
        va_list args;
        size_t room = SINK_BUFFER - s->used;
        va_start(args, format);
        int n = vsnprintf((char *)s->buffer + s->used, room, format, args);
        va_end(args);
        if (n < 0) {
            s->error = -EINVAL;
            return;
        }
        if ((size_t)n < room) {
            s->used += (size_t)n;
            return;
        }
        if ((size_t)n >= SINK_BUFFER) {
            va_start(args, format);
            print_long(s, (size_t)n, format, args);
            va_end(args);
            return;
        }
        if (sink_flush(s) != 0)
            return;
    }
}

uint64_t sink_position(const struct sink *s)
{
    return s->written + s->used;
}

int sink_error(const struct sink *s)
{
    return s->error;
}

int sink_rewrite(struct sink *s, uint64_t offset, const void *bytes, size_t len)
{
    if (sink_flush(s) != 0)
        return s->error;
    if (s->take && !s->rewrite)
        return -ESPIPE;
    if ((s->fd < 0 && !s->take) || offset > s->written || len > s->written - offset)
        return -EINVAL;
    if (s->take)
        return s->rewrite(s->to, offset, bytes, len);
    /* If a file is O_APPEND, Linux lets pwrite() append and ignores the offset. */
    int flags = fcntl(s->fd, F_GETFL);
    off_t at = lseek(s->fd, 0, SEEK_CUR);
    if (flags < 0 || (flags & O_APPEND) != 0 || at < 0 || (uint64_t)at != s->written)
        return -ESPIPE;
    const unsigned char *from = bytes;
    while (len > 0) {
        ssize_t n = pwrite(s->fd, from, len, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        from += n;
        offset += (uint64_t)n;
        len -= (size_t)n;
    }
    return 0;
}
