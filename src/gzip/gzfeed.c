/*
 * gzfeed.c - see gzfeed.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gzip/gzfeed.h"
#include <errno.h>
#include "base/err.h"

enum {
    HELD_LEAST = 64 << 20,
    /* a recording is packed to between a third and a tenth; zeros to a thousandth */
    HELD_PER_BYTE = 100,
};

/* Unpack a piece, of the packed bytes that are there now. */
static int unpack_piece(struct gzfeed *g, struct unpack_bytes *b, const char **ret_why)
{
    bool has_more = feed_has(&g->packed, g->at, UNPACK_HEAD);
    b->in = g->packed.bytes + g->at;
    b->in_len = g->packed.len - g->at;
    b->is_end = !has_more || g->packed.is_whole;
    int r = unpack_run(&g->unpack, b, ret_why);
    g->at = g->packed.len - b->in_len;
    feed_release(&g->packed, g->at);
    if (r == E_TRUNCATED && g->packed.error)
        *ret_why = NULL;
    return (r == E_TRUNCATED || r == 0) && g->packed.error ? g->packed.error : r;
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
    struct unpack_bytes b = {.out = to, .out_room = room};
    if (g->state > 0 && holds_too_much(g)) {
        g->why = "a part of it is a hundred times as long as all that was packed: it is damaged, "
                 "or made to fill memory; unpack it to read it all the same";
        g->state = E_LIMIT;
    }
    while (g->state > 0 && b.out_room == room)
        g->state = unpack_piece(g, &b, &g->why);
    *ret_why = g->why;
    return b.out_room < room ? (ssize_t)(room - b.out_room) : g->state;
}

/* Begin with the file in `packed`. */
static int begin(struct gzfeed *g)
{
    (void)feed_has(&g->packed, 0, UNPACK_HEAD);
    const struct unpack_kind *kind = unpack_kind_of(g->packed.bytes, g->packed.len);
    if (!kind) {
        g->feed = g->packed;
        g->packed = (struct feed){.fd = -1, .is_whole = true};
        return 0;
    }
    int error = unpack_open(&g->unpack, kind, &g->why);
    g->state = error < 0 ? error : 1; /* the feed tells an error, with the reason */
    return error == -ENOMEM ? error : feed_open_source(&g->feed, unpack, g);
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
    unpack_close(&g->unpack);
}
