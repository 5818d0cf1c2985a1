/*
 * unpack_zstd.c - unpacks frames of zstd. Source: RFC 8878.
 *
 * A frame may want a window of memory; one of more than 128 MB (`zstd --long=28` and above) is
 * refused, as by zstd itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include "base/be.h"
#include "base/err.h"
#include "gzip/unpack_kind.h"

/* A frame of data, or one that readers skip: pzstd and the tools of seekable files write such. */
static bool begins(const unsigned char *bytes, size_t len)
{
    uint32_t magic = len >= 4 ? be_4(bytes) : 0;
    return magic == 0x28b52ffd || (magic & 0xf0ffffff) == 0x502a4d18;
}

#ifdef HAS_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

static void *open_state(void)
{
    return ZSTD_createDCtx();
}

static void close_state(void *state)
{
    ZSTD_freeDCtx(state);
}

static int next(void *state)
{
    return ZSTD_isError(ZSTD_DCtx_reset(state, ZSTD_reset_session_only)) ? -ENOMEM : 0;
}

static int step(void *state, struct unpack_bytes *b, const char **ret_why)
{
    ZSTD_inBuffer in = {.src = b->in, .size = b->in_len};
    ZSTD_outBuffer out = {.dst = b->out, .size = b->out_room};
    size_t r = ZSTD_decompressStream(state, &out, &in);
    b->in += in.pos;
    b->in_len -= in.pos;
    b->out += out.pos;
    b->out_room -= out.pos;
    if (!ZSTD_isError(r))
        return r == 0 ? 0 : 1;
    switch (ZSTD_getErrorCode(r)) {
    case ZSTD_error_memory_allocation:
        return -ENOMEM;
    case ZSTD_error_frameParameter_windowTooLarge:
        *ret_why = "unpacking it takes more than 128 MB of memory; unpack it first "
                   "(zstd -d --memory=2048MB)";
        return E_LIMIT;
    default:
        *ret_why = "the packed data is damaged";
        return E_FORMAT;
    }
}

const struct unpack_kind unpack_zstd = {
    .begins = begins,
    .open = open_state,
    .close = close_state,
    .next = next,
    .step = step,
};
#else
const struct unpack_kind unpack_zstd = {
    .missing = "packed by zstd, which this program was built without; unpack it first (zstd -d)",
    .begins = begins,
};
#endif
