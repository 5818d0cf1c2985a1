/*
 * feed.c - see feed.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/feed.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK = 1 << 20,         /* bytes that one read of a pipe asks for */
    RELEASE_STEP = 4 << 20,  /* pages are given back in pieces of this size */
    BOUNDED_STEP = 64 << 10, /* the same for a feed of a known length */
};

/* Sizes of the reservation for a stream, which takes addresses but no memory. reserve() tries the
 * largest first and halves the size until mmap succeeds. */
static const size_t room_largest = (size_t)1 << 42, room_least = (size_t)1 << 28;

void feed_memory(struct feed *f, const void *bytes, size_t len)
{
    *f = (struct feed){.bytes = bytes, .len = len, .is_whole = true, .fd = -1};
}

static int map_file(struct feed *f, int fd, size_t len)
{
    void *bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return -errno;
    madvise(bytes, len, MADV_SEQUENTIAL);
    *f = (struct feed){.bytes = bytes, .len = len, .is_whole = true, .fd = -1, .room = len};
    return 0;
}

static int reserve(struct feed *f, int fd)
{
    void *bytes = MAP_FAILED;
    size_t room;
    for (room = room_largest; bytes == MAP_FAILED && room >= room_least; room /= 2)
        bytes = mmap(NULL, room, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return -errno;
    *f = (struct feed){.bytes = bytes, .fd = fd, .room = room * 2};
    return 0;
}

int feed_open(struct feed *f, int fd)
{
    struct stat st;
    *f = (struct feed){.fd = -1, .is_whole = true};
    if (fstat(fd, &st) < 0)
        return -errno;
    if (S_ISDIR(st.st_mode))
        return -EISDIR;
    /* Files of /proc say that their size is 0, and a pipe has no size. */
    return S_ISREG(st.st_mode) && st.st_size > 0 ? map_file(f, fd, (size_t)st.st_size)
                                                 : reserve(f, fd);
}

int feed_open_source(struct feed *f, feed_source *source, void *from)
{
    int error;
    *f = (struct feed){.fd = -1, .is_whole = true};
    error = reserve(f, -1);
    f->source = source;
    f->from = from;
    return error;
}

int feed_open_bounded(struct feed *f, feed_source *source, void *from, size_t len)
{
    *f = (struct feed){.fd = -1, .is_whole = true};
    if (len > SIZE_MAX / 2)
        return -EFBIG;
    /* One byte more than the source gives, so that feed_more() meets its end and not the end of the
     * room. */
    void *bytes = mmap(NULL, len + 1, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return -errno;
    *f = (struct feed){.bytes = bytes,
                       .fd = -1,
                       .source = source,
                       .from = from,
                       .room = len + 1,
                       .step = BOUNDED_STEP};
    return 0;
}

void feed_done(struct feed *f)
{
    if (f->room > 0)
        munmap((void *)f->bytes, f->room);
    *f = (struct feed){.fd = -1, .is_whole = true};
}

/* Returns how many bytes have come, 0 at the end, or an error. */
static ssize_t take(struct feed *f, unsigned char *to, size_t room)
{
    ssize_t n;
    if (f->source)
        return f->source(f->from, to, room, &f->why);
    do
        n = read(f->fd, to, room);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

bool feed_more(struct feed *f)
{
    size_t left = f->room - f->len;
    if (f->is_whole)
        return false;
    ssize_t n = left > 0 ? take(f, (unsigned char *)f->bytes + f->len, left < CHUNK ? left : CHUNK)
                         : -ENOMEM;

    if (n > 0) {
        f->len += (size_t)n;
        return true;
    }
    f->error = (int)n;
    f->is_whole = true;
    return false;
}

bool feed_has(struct feed *f, size_t at, size_t len)
{
    while (at > f->len || f->len - at < len)
        if (!feed_more(f))
            return false;
    return true;
}

void feed_release(struct feed *f, size_t at)
{
    size_t step = f->step > 0 ? f->step : RELEASE_STEP;
    size_t end = at / step * step;
    if (f->room == 0 || end <= f->released)
        return;
    madvise((unsigned char *)f->bytes + f->released, end - f->released, MADV_DONTNEED);
    f->released = end;
}
