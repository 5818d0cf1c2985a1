/*
 * rd.h - a sticky reader of bytes in memory.
 *
 * Past its end the reader returns zeros and stays in error. It keeps the position of the failure
 * for the message. Its users check for an error once per record. Numbers are read big-endian.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct rd {
    const unsigned char *bytes;
    size_t len, pos;
    int error;        /* 0, E_TRUNCATED, or the first error given to rd_fail() */
    size_t error_pos; /* position of the failure; valid only with an error */
};

void rd_init(struct rd *r, const void *bytes, size_t len);
uint8_t rd_u1(struct rd *r);
uint16_t rd_u2(struct rd *r);
uint32_t rd_u4(struct rd *r);
uint64_t rd_u8(struct rd *r);
/** An identifier of `size` bytes, 4 or 8. */
uint64_t rd_id(struct rd *r, unsigned size);
/** A pointer to the next `len` bytes; NULL (and an error) if they are missing. Owner: borrowed. */
const unsigned char *rd_bytes(struct rd *r, size_t len);
void rd_skip(struct rd *r, size_t len);
size_t rd_left(const struct rd *r);
/** Record a failure at the current position. Only the first failure is kept. Returns the kept
 * error. */
int rd_fail(struct rd *r, int error);
