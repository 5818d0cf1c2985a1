/*
 * proto_in.h - reads messages of Protocol Buffers field by field. The bytes may come from outside.
 *
 * A message is a struct rd over its bytes. If the bytes are no message, the struct rd fails and
 * stays failed (E_TRUNCATED, E_FORMAT). Source: Protocol Buffers, "Encoding".
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/rd.h"

enum proto_in_type { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 };

struct proto_in_field {
    uint64_t number;
    enum proto_in_type type;
    uint64_t value; /* the value, if the field is a number */
    const unsigned char *bytes;
    size_t len; /* only for PROTO_BYTES, which may be a text, a message, or a list of numbers */
};

/** Reads the next field. Returns false at the end and after a failure. */
bool proto_in_next(struct rd *message, struct proto_in_field *ret_field);
/** Reads the numbers of a field that is a list: a packed list, or one number of it. */
struct proto_in_list {
    struct rd packed;
    uint64_t one;
    bool is_one;
};
void proto_in_list(const struct proto_in_field *field, struct proto_in_list *ret_list);
/** Reads the next number. Returns false at the end, and if the list is damaged; then packed.error
 * is set. */
bool proto_in_number(struct proto_in_list *list, uint64_t *ret_value);
