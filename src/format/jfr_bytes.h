/*
 * jfr_bytes.h - bytes of a JFR chunk in the making: integers, numbers and strings as the format
 * encodes them, in memory of a fixed size.
 *
 * What finds no room is left out and remembered, so who writes a record asks once behind it, and
 * takes it back as a whole. Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of an integer whose value is written later. */
enum { JFR_BYTES_LATER = 4 };

struct jfr_bytes {
    unsigned char *at;
    size_t used, size;
    bool is_full; /* something was left out: all that follows is, too */
};

/** Memory that is only used as far as it is touched. Errors: 0, -ENOMEM. */
int jfr_bytes_open(struct jfr_bytes *b, size_t size);
void jfr_bytes_close(struct jfr_bytes *b);
/** Forget what follows the first `used` bytes, and that something was left out. */
void jfr_bytes_cut(struct jfr_bytes *b, size_t used);

void jfr_bytes_raw(struct jfr_bytes *b, const void *bytes, size_t len);
/** One byte as it is: a boolean, a byte. */
void jfr_bytes_u1(struct jfr_bytes *b, uint8_t v);
/** Any integer. Negative ones are as long as can be. */
void jfr_bytes_leb(struct jfr_bytes *b, uint64_t v);
/** Room for an integer below 2^28: returns where it is. */
size_t jfr_bytes_later(struct jfr_bytes *b);
/** Its value. */
void jfr_bytes_set(struct jfr_bytes *b, size_t at, uint32_t v);
/** An event begins, whose size stands in front of it: returns where. */
size_t jfr_bytes_begin(struct jfr_bytes *b);
/** The event ends. Returns whether it is whole: an event that found no room is taken back. */
bool jfr_bytes_end(struct jfr_bytes *b, size_t start);
void jfr_bytes_float(struct jfr_bytes *b, float v);
void jfr_bytes_double(struct jfr_bytes *b, double v);
/**
 * A string, from the VM's modified UTF-8; NULL is one, too. What is longer than some thousand bytes
 * is cut.
 */
void jfr_bytes_text(struct jfr_bytes *b, const char *text, size_t len);
/** The same with each `from` as `to`. */
void jfr_bytes_text_with(struct jfr_bytes *b, const char *text, size_t len, char from, char to);
