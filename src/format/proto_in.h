/*
 * proto_in.h - messages of Protocol Buffers, read field by field from bytes of others.
 *
 * A message is a struct rd over its bytes: what is no message makes it sticky (E_TRUNCATED,
 * E_FORMAT). Source: Protocol Buffers, "Encoding". SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/rd.h"

enum proto_in_type { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 };

struct proto_in_field {
    uint64_t number;
    enum proto_in_type type;
    uint64_t value; /* of a number */
    const unsigned char *bytes;
    size_t len; /* of PROTO_BYTES: a text, a message, a list of numbers */
};

/** The next field. Returns whether there is one; at the end, and after a failure, there is none. */
bool proto_in_next(struct rd *message, struct proto_in_field *ret_field);
/** A reader of the numbers of a field of a list: packed, or one. */
struct proto_in_list {
    struct rd packed;
    uint64_t one;
    bool is_one;
};
void proto_in_list(const struct proto_in_field *field, struct proto_in_list *ret_list);
/** Returns whether there is another number; a list that is damaged has none, and packed.error. */
bool proto_in_number(struct proto_in_list *list, uint64_t *ret_value);
