/*
 * gzfeed.c - see gzfeed.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gzip/gzfeed.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/err.h"

enum {
    /* added to the window's size: only gzip's header and check sum are accepted */
    GZIP_HEADER = 16,
    HELD_LEAST = 64 << 20,
    /* a recording is packed to between a third and a tenth; zeros to a thousandth */
    HELD_PER_BYTE = 100,
};

/* The first bytes of a member. The third byte is the method "deflate", which is the only one. */
static const unsigned char magic[] = {0x1f, 0x8b, 8};

static bool begins_member(struct feed *f, size_t at)
{
    return feed_has(f, at, sizeof(magic)) && memcmp(f->bytes + at, magic, sizeof(magic)) == 0;
}

/* Begin the next member. Members may follow each other, and zeros may pad a file to a block of a
 * tape. Returns 1: go on; 0: the end; otherwise an error. */
static int begin_next(struct gzfeed *g, const char **ret_why)
{
    if (begins_member(&g->packed, g->at)) {
        g->is_between = false;
        return inflateReset(g->stream) == Z_OK ? 1 : -ENOMEM;
    }
    while (feed_has(&g->packed, g->at, 1) && g->packed.bytes[g->at] == 0)
        g->at++;
    if (!feed_has(&g->packed, g->at, 1))
        return g->packed.error;
    *ret_why = "behind the packed data there is something else";
    return E_FORMAT;
}

/* Unpack a piece, of at most the packed bytes that are there now. Returns 1: go on; otherwise an
 * error. */
static int unpack_piece(struct gzfeed *g, const char **ret_why)
{
    z_stream *z = g->stream;
    if (!feed_has(&g->packed, g->at, 1)) {
        *ret_why = g->packed.error ? NULL : "the packed data is cut off";
        return g->packed.error ? g->packed.error : E_TRUNCATED;
    }
    size_t there = g->packed.len - g->at;

    z->next_in = (unsigned char *)g->packed.bytes + g->at;
    z->avail_in = there < UINT_MAX ? (unsigned)there : UINT_MAX;
    int r = inflate(z, Z_NO_FLUSH);

    g->at = (size_t)(z->next_in - g->packed.bytes);
    feed_release(&g->packed, g->at);
    g->is_between = r == Z_STREAM_END;
    if (r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR)
        return 1;
    *ret_why = "the packed data is damaged";
    return r == Z_MEM_ERROR ? -ENOMEM : E_FORMAT;
}

/* Whether the reader keeps too many bytes. A file says how long its parts are, and a reader needs a
 * whole part in memory. Bytes that were read are freed and do not count. */
static bool holds_too_much(const struct gzfeed *g)
{
    size_t held = g->feed.len - g->feed.released;
    return held > HELD_LEAST && (held - HELD_LEAST) / HELD_PER_BYTE > g->at;
}

/* Unpack into `to`. Bytes in front of an end or error are returned first; the next call returns the
 * end or error. */
static ssize_t unpack(void *from, unsigned char *to, size_t room, const char **ret_why)
{
    struct gzfeed *g = from;
    z_stream *z = g->stream;
    unsigned wanted = room < UINT_MAX ? (unsigned)room : UINT_MAX;
    if (g->state > 0 && holds_too_much(g)) {
        *ret_why =
            "a part of it is a hundred times as long as all that was packed: it is damaged, or "
            "made to fill memory; gunzip it to read it all the same";
        g->state = E_LIMIT;
    }
    z->next_out = to;
    z->avail_out = wanted;
    while (g->state > 0 && z->avail_out == wanted)
        g->state = g->is_between ? begin_next(g, ret_why) : unpack_piece(g, ret_why);
    return z->avail_out < wanted ? (ssize_t)(wanted - z->avail_out) : g->state;
}

/* Begin with the file in `packed`. */
static int begin(struct gzfeed *g)
{
    if (!begins_member(&g->packed, 0)) {
        g->feed = g->packed;
        g->packed = (struct feed){.fd = -1, .is_whole = true};
        return 0;
    }
    g->stream = calloc(1, sizeof(*g->stream));
    if (!g->stream || inflateInit2(g->stream, MAX_WBITS + GZIP_HEADER) != Z_OK)
        return -ENOMEM;
    g->state = 1;
    return feed_open_source(&g->feed, unpack, g);
}

static const struct gzfeed closed = {
    .feed = {.fd = -1, .is_whole = true},
    .packed = {.fd = -1, .is_whole = true},
    .folder = {.folder = -1, .fd = -1},
};

int gzfeed_open(struct gzfeed *g, int fd)
{
    *g = closed;
    int r = feed_open(&g->packed, fd);

    if (r == -EISDIR)
        r = feed_folder_open(&g->folder, fd, ".jfr");
    if (r == 0 && g->folder.count > 0)
        r = feed_open_source(&g->packed, feed_folder_read, &g->folder);
    return r < 0 ? r : begin(g);
}

int gzfeed_open_memory(struct gzfeed *g, const void *bytes, size_t len)
{
    *g = closed;
    feed_memory(&g->packed, bytes, len);
    return begin(g);
}

void gzfeed_close(struct gzfeed *g)
{
    feed_done(&g->feed);
    feed_done(&g->packed);
    feed_folder_done(&g->folder);
    if (g->stream)
        inflateEnd(g->stream);
    free(g->stream);
    g->stream = NULL;
}
