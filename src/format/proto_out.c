/*
 * proto_out.c - see proto_out.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/proto_out.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "base/utf8.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };
enum { VARINT_BYTES = 10, ROOM_FIRST = 256 };

void proto_out_done(struct proto_out *m)
{
    free(m->bytes);
    *m = (struct proto_out){0};
}

void proto_out_clear(struct proto_out *m)
{
    m->len = 0;
}

/* Makes room for `len` bytes behind those that are there. NULL: no memory. */
static unsigned char *extend(struct proto_out *m, size_t len)
{
    if (m->error)
        return NULL;
    if (len > m->room - m->len) {
        size_t room = (m->len + len) * 2 + ROOM_FIRST;
        unsigned char *bytes = realloc(m->bytes, room);
        if (!bytes) {
            m->error = -ENOMEM;
            return NULL;
        }
        m->bytes = bytes;
        m->room = room;
    }
    return m->bytes + m->len;
}

static void put_varint(struct proto_out *m, uint64_t value)
{
    unsigned char *at = extend(m, VARINT_BYTES), *first = at;
    if (!at)
        return;
    while (value >= 0x80) {
        *at++ = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    *at++ = (unsigned char)value;
    m->len += (size_t)(at - first);
}

static void put_tag(struct proto_out *m, unsigned field, unsigned type)
{
    put_varint(m, (uint64_t)field << 3 | type);
}

void proto_out_number(struct proto_out *m, unsigned field, uint64_t value)
{
    if (value == 0)
        return;
    put_tag(m, field, VARINT);
    put_varint(m, value);
}

void proto_out_fixed64(struct proto_out *m, unsigned field, uint64_t value)
{
    unsigned char *at;
    if (value == 0)
        return;
    put_tag(m, field, FIXED64);
    at = extend(m, sizeof(value));
    for (size_t i = 0; at && i < sizeof(value); i++)
        at[i] = (unsigned char)(value >> 8 * i);
    m->len += at ? sizeof(value) : 0;
}

void proto_out_bytes(struct proto_out *m, unsigned field, const void *bytes, size_t len)
{
    unsigned char *at;
    put_tag(m, field, BYTES);
    put_varint(m, len);
    at = extend(m, len);
    if (!at || len == 0)
        return;
    memcpy(at, bytes, len);
    m->len += len;
}

void proto_out_text(struct proto_out *m, unsigned field, const char *text, size_t len)
{
    struct proto_out plain = {0};
    if (utf8_is_plain(text, len)) {
        proto_out_bytes(m, field, text, len);
        return;
    }
    while (len > 0) {
        unsigned char *at = extend(&plain, UTF8_BYTES);
        size_t bytes = 0, taken = at ? utf8_next(text, len, at, &bytes) : len;
        plain.len += bytes;
        text += taken;
        len -= taken;
    }
    proto_out_message(m, field, &plain);
    proto_out_done(&plain);
}

void proto_out_message(struct proto_out *m, unsigned field, const struct proto_out *inner)
{
    if (inner->error && !m->error)
        m->error = inner->error;
    proto_out_bytes(m, field, inner->bytes, inner->len);
}

static size_t varint_length(uint64_t value)
{
    size_t len = 1;
    while ((value >>= 7) != 0)
        len++;
    return len;
}

void proto_out_list(struct proto_out *m, unsigned field, const uint64_t *values, size_t count)
{
    size_t len = 0;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        len += varint_length(values[i]);
    put_tag(m, field, BYTES);
    put_varint(m, len);
    for (size_t i = 0; i < count; i++)
        put_varint(m, values[i]);
}

int proto_out_put(struct proto_out *m, struct sink *s)
{
    if (m->error)
        return m->error;
    sink_bytes(s, m->bytes, m->len);
    m->len = 0;
    return 0;
}
