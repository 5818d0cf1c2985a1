/*
 * jfrlib_input.c - see jfrlib_input.h.
 *
 * The file is not mapped: if somebody cuts a mapped file, a read of it is a SIGBUS, and a library
 * has no signal handlers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrlib/jfrlib_input.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/rooted.h"
#include "jfr/jfr_budget.h"

enum { PIECE = 64 << 10 }; /* bytes of one read */

static ssize_t read_piece(void *from, unsigned char *to, size_t room, const char **ret_why)
{
    struct jfrlib_input *in = from;
    size_t left = jfr_budget_left(in->budget), len = room < PIECE ? room : PIECE;
    ssize_t n;
    if (len > in->size - in->at)
        len = (size_t)(in->size - in->at);
    if (len > 0 && left == 0) {
        in->budget->is_short = true;
        return E_LIMIT;
    }
    if (len > left)
        len = left;
    do
        n = pread(in->fd, to, len, (off_t)in->at);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    in->at += (uint64_t)n;
    return n;
}

int jfrlib_input_open(struct jfrlib_input *in, const char *path, struct jfr_budget *budget)
{
    struct stat st;
    *in = (struct jfrlib_input){.fd = rooted_open(-1, path), .budget = budget};
    feed_memory(&in->feed, NULL, 0);
    if (in->fd < 0)
        return in->fd;
    if (fstat(in->fd, &st) < 0)
        return -errno;
    in->size = (uint64_t)st.st_size;
    if (in->size == 0)
        return 0;
    int r = feed_open_bounded(&in->feed, read_piece, in, (size_t)in->size);
    if (r == 0)
        budget->feed = &in->feed;
    return r;
}

void jfrlib_input_memory(struct jfrlib_input *in, const void *bytes, size_t len)
{
    *in = (struct jfrlib_input){.fd = -1};
    feed_memory(&in->feed, bytes, len);
}

void jfrlib_input_close(struct jfrlib_input *in)
{
    if (in->budget)
        in->budget->feed = NULL;
    feed_done(&in->feed);
    if (in->fd >= 0)
        close(in->fd);
    in->fd = -1;
}
