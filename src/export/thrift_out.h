/*
 * thrift_out.h - writes structs in the compact protocol of Thrift, in which Parquet's footers are.
 *
 * Source: github.com/apache/thrift, doc/specs/thrift-compact-protocol.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "command/textbuf.h"

enum { THRIFT_DEPTH = 8 };

enum thrift_type {
    THRIFT_I16 = 4,
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_BINARY = 8,
    THRIFT_LIST = 9,
    THRIFT_STRUCT = 12,
};

/** Zeroed: an empty text, inside the outermost struct. */
struct thrift_out {
    struct textbuf text;
    int16_t last[THRIFT_DEPTH]; /* the number of the last field of each open struct */
    unsigned depth;
};

/** A whole number; `type` is THRIFT_I16, THRIFT_I32 or THRIFT_I64. */
void thrift_out_number(struct thrift_out *t, int16_t field, enum thrift_type type, int64_t value);
void thrift_out_bytes(struct thrift_out *t, int16_t field, const void *bytes, size_t len);
/** Begins a struct in a field; thrift_out_end() ends it. */
void thrift_out_begin(struct thrift_out *t, int16_t field);
void thrift_out_end(struct thrift_out *t);
/** Begins a list of `count` elements. An element is written by one of the following functions. */
void thrift_out_list(struct thrift_out *t, int16_t field, enum thrift_type type, size_t count);
void thrift_out_element(struct thrift_out *t, int64_t value);
void thrift_out_element_bytes(struct thrift_out *t, const void *bytes, size_t len);
/** An element that is a struct; thrift_out_end() ends it. */
void thrift_out_element_begin(struct thrift_out *t);
