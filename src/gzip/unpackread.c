/*
 * unpackread.c - see unpackread.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gzip/unpackread.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "gzip/unpack.h"

enum { BUFFER = 256 * 1024 };

struct unpackread {
    int fd;
    bool is_end;    /* the file has no more bytes */
    int error;      /* 0, or what reading the file met */
    int state;      /* 1: more bytes may come; 0: the end; negative: the error */
    size_t at, len; /* the bytes of the buffer that are not used up */
    const char *why;
    struct unpack unpack;
    unsigned char buffer[BUFFER];
};

/* Reads until the buffer has `want` bytes, or the file has ended. */
static void fill(struct unpackread *u, size_t want)
{
    if (u->len - u->at >= want || u->is_end)
        return;
    memmove(u->buffer, u->buffer + u->at, u->len - u->at);
    u->len -= u->at;
    u->at = 0;
    while (u->len < want && !u->is_end) {
        ssize_t n = read(u->fd, u->buffer + u->len, BUFFER - u->len);
        if (n < 0 && errno == EINTR)
            continue;
        u->is_end = n <= 0;
        u->error = n < 0 ? -errno : 0;
        u->len += n > 0 ? (size_t)n : 0;
    }
}

int unpackread_open(int fd, struct unpackread **ret)
{
    struct unpackread *u = malloc(sizeof(*u));
    *ret = u;
    if (!u)
        return -ENOMEM;
    *u = (struct unpackread){.fd = fd, .state = 1};
    fill(u, UNPACK_HEAD);
    const struct unpack_kind *kind = unpack_kind_of(u->buffer, u->len);
    int error = kind ? unpack_open(&u->unpack, kind, &u->why) : 0;
    if (error < 0)
        u->state = error; /* unpackread_read() tells it */
    return 0;
}

void unpackread_close(struct unpackread *u)
{
    if (u)
        unpack_close(&u->unpack);
    free(u);
}

static ssize_t read_plain(struct unpackread *u, unsigned char *to, size_t room)
{
    size_t len = u->len - u->at;
    if (len > 0) {
        len = len < room ? len : room;
        memcpy(to, u->buffer + u->at, len);
        u->at += len;
        return (ssize_t)len;
    }
    ssize_t n = 0;
    if (!u->is_end) {
        do
            n = read(u->fd, to, room);
        while (n < 0 && errno == EINTR);
    }
    if (n < 0)
        u->error = -errno;
    u->is_end = n <= 0;
    u->state = n > 0 ? 1 : u->error;
    return n > 0 ? n : u->state;
}

ssize_t unpackread_read(struct unpackread *u, unsigned char *to, size_t room)
{
    if (u->state <= 0 || room == 0)
        return u->state < 0 ? u->state : 0;
    if (!u->unpack.kind)
        return read_plain(u, to, room);
    size_t left = room;
    while (u->state > 0 && left == room) {
        fill(u, UNPACK_HEAD);
        struct unpack_bytes b = {u->buffer + u->at, u->len - u->at, u->is_end, to, room};
        u->state = unpack_run(&u->unpack, &b, &u->why);
        u->at = u->len - b.in_len;
        left = b.out_room;
        if (u->state == E_TRUNCATED && u->error < 0) {
            u->state = u->error;
            u->why = NULL;
        }
    }
    return left < room ? (ssize_t)(room - left) : u->state;
}

const char *unpackread_why(const struct unpackread *u)
{
    return u->why;
}
