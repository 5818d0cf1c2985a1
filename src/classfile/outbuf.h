/*
 * outbuf.h - a growing buffer in an arena.
 *
 * It is sticky: after the first failure nothing is written and the failure is kept, so callers
 * check once per method. Numbers are written big-endian.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct arena;

struct outbuf {
    uint8_t *bytes;
    size_t len, cap, limit;
    int error; /* 0, -ENOMEM, or E_LIMIT when `limit` bytes were not enough */
    struct arena *arena;
};

/** Prepare a buffer with room for `cap` bytes at first and for `limit` bytes at most. */
void outbuf_init(struct outbuf *o, struct arena *a, size_t cap, size_t limit);
/** The next `len` bytes, which the caller fills in; NULL after a failure. Valid until the next
 * call. */
uint8_t *outbuf_take(struct outbuf *o, size_t len);
void outbuf_bytes(struct outbuf *o, const void *bytes, size_t len);
void outbuf_u1(struct outbuf *o, uint8_t v);
void outbuf_u2(struct outbuf *o, uint16_t v);
void outbuf_u4(struct outbuf *o, uint32_t v);
/** Overwrite the number that was written at offset `at`. */
void outbuf_set_u2(struct outbuf *o, size_t at, uint16_t v);
void outbuf_set_u4(struct outbuf *o, size_t at, uint32_t v);
/** Remove everything from offset `len` on. */
void outbuf_cut(struct outbuf *o, size_t len);
