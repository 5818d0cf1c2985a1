/*
 * rd.c - the sticky reader: see rd.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/rd.h"
#include "base/err.h"

void rd_init(struct rd *r, const void *bytes, size_t len)
{
    *r = (struct rd){.bytes = bytes, .len = len};
}

size_t rd_left(const struct rd *r)
{
    return r->error != 0 ? 0 : r->len - r->pos;
}

int rd_fail(struct rd *r, int error)
{
    if (r->error == 0) {
        r->error = error;
        r->error_pos = r->pos;
    }
    return r->error;
}

const unsigned char *rd_bytes(struct rd *r, size_t len)
{
    if (len > rd_left(r)) {
        rd_fail(r, E_TRUNCATED);
        return NULL;
    }
    if (r->error != 0)
        return NULL;
    const unsigned char *at = r->bytes + r->pos;
    r->pos += len;
    return at;
}

void rd_skip(struct rd *r, size_t len)
{
    rd_bytes(r, len);
}

/* Reads a big-endian number; 0 when the bytes are missing. */
static uint64_t number(struct rd *r, unsigned size)
{
    const unsigned char *b = rd_bytes(r, size);
    uint64_t v = 0;
    for (unsigned i = 0; b && i < size; i++)
        v = v << 8 | b[i];
    return v;
}

uint8_t rd_u1(struct rd *r)
{
    return (uint8_t)number(r, 1);
}

uint16_t rd_u2(struct rd *r)
{
    return (uint16_t)number(r, 2);
}

uint32_t rd_u4(struct rd *r)
{
    return (uint32_t)number(r, 4);
}

uint64_t rd_u8(struct rd *r)
{
    return number(r, 8);
}

uint64_t rd_id(struct rd *r, unsigned size)
{
    if (size != 4 && size != 8) {
        rd_fail(r, E_FORMAT);
        return 0;
    }
    return number(r, size);
}
