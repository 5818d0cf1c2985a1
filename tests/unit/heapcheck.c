/*
 * heapcheck.c - see heapcheck.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapcheck.h"
#include "base/err.h"
#include "base/rd.h"

enum { ID = 2 }; /* a type of values: the others have fixed sizes */

static size_t size_of(int type, unsigned id_bytes)
{
    static const unsigned char sizes[] = {0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8};
    if (type == ID)
        return id_bytes;
    return type >= 0 && (size_t)type < sizeof(sizes) ? sizes[type] : 0;
}

static void skip_values(struct rd *r, int type, uint64_t count, unsigned id_bytes)
{
    size_t size = size_of(type, id_bytes);
    if (size == 0)
        rd_fail(r, E_FORMAT);
    else
        rd_skip(r, count * size);
}

static void read_class(struct rd *r, unsigned n, struct heapcheck_thing *t)
{
    t->trace = rd_u4(r);
    t->klass = rd_id(r, n);
    rd_skip(r, 5 * (size_t)n);
    t->number = rd_u4(r);
    t->data = r->bytes + r->pos;
    t->constants = rd_u2(r);
    for (uint32_t i = 0; i < t->constants && !r->error; i++) {
        rd_u2(r);
        skip_values(r, rd_u1(r), 1, n);
    }
    t->statics = rd_u2(r);
    for (uint32_t i = 0; i < t->statics && !r->error; i++) {
        rd_id(r, n);
        skip_values(r, rd_u1(r), 1, n);
    }
    t->count = rd_u2(r);
    for (uint32_t i = 0; i < t->count && !r->error; i++) {
        rd_id(r, n);
        skip_values(r, rd_u1(r), 0, n);
    }
}

static void read_sub(struct rd *r, unsigned n, struct heapcheck_thing *t)
{
    t->start = r->bytes + r->pos;
    t->tag = rd_u1(r);
    t->id = rd_id(r, n);
    t->data = r->bytes + r->pos;
    switch (t->tag) {
    case 0xff: /* roots without more */
    case 0x05:
    case 0x07:
        break;
    case 0x01:
        t->klass = rd_id(r, n);
        break;
    case 0x04:
    case 0x06:
        t->number = rd_u4(r);
        break;
    case 0x02:
    case 0x03:
    case 0x08:
        t->number = rd_u4(r);
        t->trace = rd_u4(r);
        break;
    case 0x20:
        read_class(r, n, t);
        break;
    case 0x21:
        t->trace = rd_u4(r);
        t->klass = rd_id(r, n);
        t->count = rd_u4(r);
        t->data = r->bytes + r->pos;
        rd_skip(r, t->count);
        break;
    case 0x22:
        t->trace = rd_u4(r);
        t->count = rd_u4(r);
        t->klass = rd_id(r, n);
        t->type = ID;
        t->data = r->bytes + r->pos;
        skip_values(r, ID, t->count, n);
        break;
    case 0x23:
        t->trace = rd_u4(r);
        t->count = rd_u4(r);
        t->type = rd_u1(r);
        t->data = r->bytes + r->pos;
        skip_values(r, t->type, t->count, n);
        break;
    default:
        rd_fail(r, E_FORMAT);
    }
    if (!r->error)
        t->len = (size_t)(r->bytes + r->pos - t->data);
}

static void read_body(struct rd *r, unsigned n, struct heapcheck_thing *t)
{
    if (t->tag == 0x101) {
        t->id = rd_id(r, n);
        t->len = rd_left(r);
        t->data = rd_bytes(r, t->len);
    } else if (t->tag == 0x102) {
        t->number = rd_u4(r);
        t->id = rd_id(r, n);
        t->trace = rd_u4(r);
        t->klass = rd_id(r, n);
    } else if (t->tag == 0x10c || t->tag == 0x11c) {
        t->data = r->bytes;
        t->len = r->len;
    } else if (t->tag != 0x12c) {
        rd_fail(r, E_FORMAT);
    }
}

size_t heapcheck_read(const unsigned char *bytes, size_t len, unsigned id_bytes,
                      heapcheck_seen *seen, void *arg)
{
    struct rd r;
    rd_init(&r, bytes, len);
    while (rd_left(&r) > 0) {
        size_t at = r.pos;
        struct heapcheck_thing t = {.tag = 0x100 + rd_u1(&r)};
        struct rd body;
        rd_skip(&r, 4);
        uint32_t body_bytes = rd_u4(&r);
        const unsigned char *start = rd_bytes(&r, body_bytes);
        if (r.error)
            return at + 1;
        rd_init(&body, start, body_bytes);
        read_body(&body, id_bytes, &t);
        if (!body.error)
            seen(arg, &t);
        while ((t.tag == 0x10c || t.tag == 0x11c) && rd_left(&body) > 0 && !body.error) {
            struct heapcheck_thing sub = {0};
            read_sub(&body, id_bytes, &sub);
            if (!body.error)
                seen(arg, &sub);
        }
        if (body.error || rd_left(&body) > 0)
            return at + 1;
    }
    return 0;
}
