/*
 * zpack.c - see zpack.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gzip/zpack.h"
#include <errno.h>
#include <stdlib.h>

#ifdef HAS_ZSTD
#include <zstd.h>

enum { LEVEL = 1 };

bool zpack_packs(void)
{
    return true;
}

int zpack_pack(struct zpack *z, const char **bytes, size_t *len)
{
    size_t room = ZSTD_compressBound(*len);
    if (!z->context)
        z->context = ZSTD_createCCtx();
    if (room > z->room) {
        free(z->bytes);
        z->bytes = malloc(room);
        z->room = z->bytes ? room : 0;
    }
    if (!z->context || !z->bytes)
        return -ENOMEM;
    size_t packed = ZSTD_compressCCtx(z->context, z->bytes, z->room, *bytes, *len, LEVEL);
    if (ZSTD_isError(packed))
        return -ENOMEM;
    *bytes = z->bytes;
    *len = packed;
    return 0;
}

void zpack_done(struct zpack *z)
{
    ZSTD_freeCCtx(z->context);
    free(z->bytes);
    *z = (struct zpack){0};
}

#else

bool zpack_packs(void)
{
    return false;
}

int zpack_pack(struct zpack *z, const char **bytes, size_t *len)
{
    (void)z;
    (void)bytes;
    (void)len;
    return 0;
}

void zpack_done(struct zpack *z)
{
    *z = (struct zpack){0};
}

#endif
