/*
 * unpack_gzip.c - unpacks members of gzip. Source: RFC 1952.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/err.h"
#include "gzip/unpack_kind.h"

enum {
    GZIP_HEADER = 16
}; /* added to the window's size: only gzip's header and check sum are taken */

static bool begins(const unsigned char *bytes, size_t len)
{
    /* The third byte is the method "deflate", which is the only one. */
    static const unsigned char magic[] = {0x1f, 0x8b, 8};
    return len >= sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

static void *open_state(void)
{
    z_stream *z = calloc(1, sizeof(*z));
    if (z && inflateInit2(z, MAX_WBITS + GZIP_HEADER) == Z_OK)
        return z;
    free(z);
    return NULL;
}

static void close_state(void *state)
{
    inflateEnd(state);
    free(state);
}

static int next(void *state)
{
    return inflateReset(state) == Z_OK ? 0 : -ENOMEM;
}

static int step(void *state, struct unpack_bytes *b, const char **ret_why)
{
    z_stream *z = state;
    unsigned in = b->in_len < UINT_MAX ? (unsigned)b->in_len : UINT_MAX;
    unsigned room = b->out_room < UINT_MAX ? (unsigned)b->out_room : UINT_MAX;
    z->next_in = (unsigned char *)b->in;
    z->avail_in = in;
    z->next_out = b->out;
    z->avail_out = room;
    int r = inflate(z, Z_NO_FLUSH);
    b->in += in - z->avail_in;
    b->in_len -= in - z->avail_in;
    b->out += room - z->avail_out;
    b->out_room -= room - z->avail_out;
    if (r == Z_OK || r == Z_BUF_ERROR)
        return 1;
    if (r == Z_STREAM_END)
        return 0;
    *ret_why = "the packed data is damaged";
    return r == Z_MEM_ERROR ? -ENOMEM : E_FORMAT;
}

const struct unpack_kind unpack_gzip = {
    .begins = begins,
    .open = open_state,
    .close = close_state,
    .next = next,
    .step = step,
};
