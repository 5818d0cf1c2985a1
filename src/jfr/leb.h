/*
 * leb.h - the numbers in JFR files: a sticky reader, and a writer.
 *
 * Integers are LEB128: groups of seven bits, the lowest first. A number has at most nine bytes, and
 * the ninth has eight bits. Padded numbers are legal. Bytes, floats and doubles are raw; floats and
 * doubles are big-endian. Past its end a reader returns zeros and stays bad; callers check is_bad
 * once per record.
 * Source: HotSpot, jfrBigEndian and jfrEncoders; jdk.jfr, RecordingInput.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sink;

struct leb {
    const uint8_t *at, *end;
    bool is_bad; /* a read went past the end, or a number made no sense */
};

static inline struct leb leb_over(const uint8_t *bytes, size_t len)
{
    return (struct leb){.at = bytes, .end = bytes + len};
}

static inline size_t leb_left(const struct leb *l)
{
    return (size_t)(l->end - l->at);
}

/** Make the reader bad, so that nothing more is read. Returns 0. */
static inline uint64_t leb_fail(struct leb *l)
{
    l->is_bad = true;
    l->at = l->end;
    return 0;
}

/** Reads a number of two or more bytes. */
uint64_t leb_long_number(struct leb *l);
/** Skips `count` numbers. */
void leb_skip_numbers(struct leb *l, uint64_t count);

static inline uint64_t leb_number(struct leb *l)
{
    if (l->at < l->end && *l->at < 0x80)
        return *l->at++;
    return leb_long_number(l);
}

/** A number of 32 bits: higher bits in the file are cut off, and bit 31 is the sign. */
static inline int32_t leb_int(struct leb *l)
{
    return (int32_t)(uint32_t)leb_number(l);
}

static inline uint8_t leb_byte(struct leb *l)
{
    return l->at < l->end ? *l->at++ : (uint8_t)leb_fail(l);
}

static inline void leb_skip(struct leb *l, uint64_t bytes)
{
    if (bytes > leb_left(l))
        leb_fail(l);
    else
        l->at += bytes;
}

/** Writes a number in as few bytes as possible, at most JFR_LAYOUT_LEB_MAX. Returns how many. */
size_t leb_write(uint64_t number, uint8_t *ret_bytes);
void leb_put(struct sink *s, uint64_t number);
/** Reads `bytes` bytes, 1 to 8, as a big-endian number. */
uint64_t leb_raw(struct leb *l, unsigned bytes);
float leb_float(struct leb *l);
double leb_double(struct leb *l);
