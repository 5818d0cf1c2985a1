/*
 * thrift_out.c - see thrift_out.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "export/thrift_out.h"

static void put_varint(struct thrift_out *t, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        textbuf_char(&t->text, (char)(v | 0x80));
    textbuf_char(&t->text, (char)v);
}

static void put_zigzag(struct thrift_out *t, int64_t v)
{
    put_varint(t, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

static void put_field(struct thrift_out *t, int16_t field, enum thrift_type type)
{
    int16_t *last = &t->last[t->depth];
    if (field > *last && field - *last <= 15) {
        textbuf_char(&t->text, (char)((field - *last) << 4 | (int)type));
    } else {
        textbuf_char(&t->text, (char)type);
        put_zigzag(t, field);
    }
    *last = field;
}

static void put_bytes(struct thrift_out *t, const void *bytes, size_t len)
{
    put_varint(t, len);
    textbuf_bytes(&t->text, bytes, len);
}

static void enter(struct thrift_out *t)
{
    if (t->depth + 1 < THRIFT_DEPTH)
        t->depth++;
    t->last[t->depth] = 0;
}

void thrift_out_number(struct thrift_out *t, int16_t field, enum thrift_type type, int64_t value)
{
    put_field(t, field, type);
    put_zigzag(t, value);
}

void thrift_out_bytes(struct thrift_out *t, int16_t field, const void *bytes, size_t len)
{
    put_field(t, field, THRIFT_BINARY);
    put_bytes(t, bytes, len);
}

void thrift_out_begin(struct thrift_out *t, int16_t field)
{
    put_field(t, field, THRIFT_STRUCT);
    enter(t);
}

void thrift_out_end(struct thrift_out *t)
{
    textbuf_char(&t->text, 0);
    if (t->depth > 0)
        t->depth--;
}

void thrift_out_list(struct thrift_out *t, int16_t field, enum thrift_type type, size_t count)
{
    put_field(t, field, THRIFT_LIST);
    if (count < 15) {
        textbuf_char(&t->text, (char)(count << 4 | (size_t)type));
    } else {
        textbuf_char(&t->text, (char)(0xf0 | (int)type));
        put_varint(t, count);
    }
}

void thrift_out_element(struct thrift_out *t, int64_t value)
{
    put_zigzag(t, value);
}

void thrift_out_element_bytes(struct thrift_out *t, const void *bytes, size_t len)
{
    put_bytes(t, bytes, len);
}

void thrift_out_element_begin(struct thrift_out *t)
{
    enter(t);
}
