/*
 * proto_in.c - see proto_in.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/proto_in.h"
#include "base/err.h"

enum { VARINT_BITS = 64, GROUP_BITS = 7 };

static uint64_t take_varint(struct rd *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < VARINT_BITS; shift += GROUP_BITS) {
        uint8_t byte = rd_u1(r);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    rd_fail(r, E_FORMAT);
    return 0;
}

/* Reads a little-endian number. */
static uint64_t take_fixed(struct rd *r, size_t size)
{
    const unsigned char *bytes = rd_bytes(r, size);
    uint64_t value = 0;
    for (size_t i = size; bytes && i > 0; i--)
        value = value << 8 | bytes[i - 1];
    return value;
}

bool proto_in_next(struct rd *message, struct proto_in_field *ret_field)
{
    struct proto_in_field f = {0};
    uint64_t tag;
    if (rd_left(message) == 0)
        return false;
    tag = take_varint(message);
    f.number = tag >> 3;
    f.type = (enum proto_in_type)(tag & 7);
    switch (f.type) {
    case PROTO_VARINT:
        f.value = take_varint(message);
        break;
    case PROTO_FIXED64:
        f.value = take_fixed(message, sizeof(uint64_t));
        break;
    case PROTO_FIXED32:
        f.value = take_fixed(message, sizeof(uint32_t));
        break;
    case PROTO_BYTES:
        f.len = (size_t)take_varint(message);
        f.bytes = rd_bytes(message, f.len);
        break;
    default:
        rd_fail(message, E_FORMAT);
    }
    if (f.number == 0)
        rd_fail(message, E_FORMAT);
    if (message->error != 0)
        return false;
    *ret_field = f;
    return true;
}

void proto_in_list(const struct proto_in_field *field, struct proto_in_list *ret_list)
{
    *ret_list = (struct proto_in_list){.one = field->value, .is_one = field->type != PROTO_BYTES};
    rd_init(&ret_list->packed, field->bytes, field->len);
}

bool proto_in_number(struct proto_in_list *list, uint64_t *ret_value)
{
    bool is_one = list->is_one;
    if (!is_one && rd_left(&list->packed) == 0)
        return false;
    *ret_value = is_one ? list->one : take_varint(&list->packed);
    list->is_one = false;
    return list->packed.error == 0;
}
