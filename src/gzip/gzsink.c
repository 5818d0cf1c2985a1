/*
 * gzsink.c - see gzsink.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gzip/gzsink.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    GZIP_HEADER = 16, /* added to the window's size: gzip's header and check sum */
    MEMORY_LEVEL = 8, /* zlib's default */
    PIECE = 1 << 30,  /* how much is packed in one call, which counts in unsigned */
};

/* Pack the bytes that the stream was given; with Z_FINISH pack all bytes, and write the end. */
static int pack(struct gzsink *g, int flush)
{
    z_stream *z = g->stream;
    int r;
    do {
        z->next_out = g->packed;
        z->avail_out = SINK_BUFFER;
        r = deflate(z, flush);
        sink_bytes(g->to, g->packed, SINK_BUFFER - z->avail_out);
    } while (r == Z_OK && (z->avail_in > 0 || flush == Z_FINISH));
    return r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR ? sink_error(g->to) : -EIO;
}

static int take(void *to, const unsigned char *bytes, size_t len)
{
    struct gzsink *g = to;
    int error = 0;
    while (len > 0 && error == 0) {
        unsigned piece = len < PIECE ? (unsigned)len : PIECE;
        g->stream->next_in = (unsigned char *)bytes;
        g->stream->avail_in = piece;
        error = pack(g, Z_NO_FLUSH);
        bytes += piece;
        len -= piece;
    }
    return error;
}

int gzsink_open(struct gzsink *g, struct sink *to)
{
    *g = (struct gzsink){.to = to, .packed = malloc(SINK_BUFFER)};
    int error = sink_init_taker(&g->sink, take, g);

    g->stream = calloc(1, sizeof(*g->stream));
    if (error != 0 || !g->packed || !g->stream)
        return -ENOMEM;
    if (deflateInit2(g->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_HEADER,
                     MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK)
        return 0;
    free(g->stream);
    g->stream = NULL;
    return -ENOMEM;
}

void gzsink_set_level(struct gzsink *g, int level)
{
    g->stream->next_out = g->packed;
    g->stream->avail_out = SINK_BUFFER;
    (void)deflateParams(g->stream, level, Z_DEFAULT_STRATEGY);
}

int gzsink_close(struct gzsink *g)
{
    bool is_open = g->packed && g->stream && g->sink.buffer;
    int error = is_open ? sink_done(&g->sink) : -ENOMEM;
    if (error == 0)
        error = pack(g, Z_FINISH);
    if (is_open)
        deflateEnd(g->stream);
    free(g->stream);
    free(g->packed);
    if (!is_open)
        free(g->sink.buffer);
    *g = (struct gzsink){.sink = {.fd = -1, .error = -EBADF}};
    return error;
}

int gzsink_suffix(const char *path)
{
    static const char suffix[] = ".gz";
    size_t len = strlen(path), end = sizeof(suffix) - 1;
    return len > end && strcmp(path + len - end, suffix) == 0 ? (int)end : 0;
}
