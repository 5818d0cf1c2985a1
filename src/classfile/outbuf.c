/*
 * outbuf.c - a growing buffer in an arena: see outbuf.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/outbuf.h"
#include <errno.h>
#include <string.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/be.h"

void outbuf_init(struct outbuf *o, struct arena *a, size_t cap, size_t limit)
{
    *o = (struct outbuf){.arena = a, .limit = limit};
    o->bytes = arena_alloc(a, cap < limit ? cap : limit);
    if (o->bytes)
        o->cap = cap < limit ? cap : limit;
    else
        o->error = -ENOMEM;
}

static int grow(struct outbuf *o, size_t len)
{
    if (len > o->limit - o->len) {
        o->error = E_LIMIT;
        return 0;
    }
    size_t cap = o->cap * 2;
    if (cap < o->len + len)
        cap = o->len + len;
    if (cap > o->limit)
        cap = o->limit;
    uint8_t *bytes = arena_alloc(o->arena, cap);
    if (!bytes) {
        o->error = -ENOMEM;
        return 0;
    }
    memcpy(bytes, o->bytes, o->len);
    o->bytes = bytes;
    o->cap = cap;
    return 1;
}

uint8_t *outbuf_take(struct outbuf *o, size_t len)
{
    if (o->error != 0 || (len > o->cap - o->len && !grow(o, len)))
        return NULL;
    uint8_t *at = o->bytes + o->len;
    o->len += len;
    return at;
}

void outbuf_bytes(struct outbuf *o, const void *bytes, size_t len)
{
    uint8_t *at = outbuf_take(o, len);
    if (at && len > 0)
        memcpy(at, bytes, len);
}

void outbuf_u1(struct outbuf *o, uint8_t v)
{
    uint8_t *at = outbuf_take(o, 1);
    if (at)
        *at = v;
}

void outbuf_u2(struct outbuf *o, uint16_t v)
{
    uint8_t *at = outbuf_take(o, 2);
    if (at)
        be_put2(at, v);
}

void outbuf_u4(struct outbuf *o, uint32_t v)
{
    uint8_t *at = outbuf_take(o, 4);
    if (at)
        be_put4(at, v);
}

void outbuf_set_u2(struct outbuf *o, size_t at, uint16_t v)
{
    if (o->error == 0)
        be_put2(o->bytes + at, v);
}

void outbuf_set_u4(struct outbuf *o, size_t at, uint32_t v)
{
    if (o->error == 0)
        be_put4(o->bytes + at, v);
}

void outbuf_cut(struct outbuf *o, size_t len)
{
    if (o->error == 0)
        o->len = len;
}
