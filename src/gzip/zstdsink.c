/*
 * zstdsink.c - see zstdsink.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gzip/zstdsink.h"
#include <errno.h>
#include <stdlib.h>
#include "base/err.h"

#ifdef HAS_ZSTD
#include <zstd.h>

static int pack(struct zstdsink *z, ZSTD_inBuffer *in, ZSTD_EndDirective how)
{
    size_t left;
    do {
        ZSTD_outBuffer out = {z->packed, SINK_BUFFER, 0};
        left = ZSTD_compressStream2(z->stream, &out, in, how);
        if (ZSTD_isError(left))
            return -EIO;
        sink_bytes(z->to, z->packed, out.pos);
    } while (sink_error(z->to) == 0 && (in->pos < in->size || (how == ZSTD_e_end && left > 0)));
    return sink_error(z->to);
}

static int take(void *to, const unsigned char *bytes, size_t len)
{
    ZSTD_inBuffer in = {bytes, len, 0};
    return pack(to, &in, ZSTD_e_continue);
}

int zstdsink_open(struct zstdsink *z, struct sink *to)
{
    *z = (struct zstdsink){.to = to, .packed = malloc(SINK_BUFFER), .stream = ZSTD_createCCtx()};
    int error = sink_init_taker(&z->sink, take, z);
    return error == 0 && z->packed && z->stream ? 0 : -ENOMEM;
}

int zstdsink_close(struct zstdsink *z)
{
    ZSTD_inBuffer nothing = {"", 0, 0};
    bool is_open = z->packed && z->stream && z->sink.buffer;
    int error = is_open ? sink_done(&z->sink) : -ENOMEM;
    if (error == 0)
        error = pack(z, &nothing, ZSTD_e_end);
    ZSTD_freeCCtx(z->stream);
    free(z->packed);
    if (!is_open)
        free(z->sink.buffer);
    return error;
}
#else
int zstdsink_open(struct zstdsink *z, struct sink *to)
{
    *z = (struct zstdsink){.to = to};
    return E_UNSUPPORTED;
}

int zstdsink_close(struct zstdsink *z)
{
    (void)z;
    return E_UNSUPPORTED;
}
#endif
