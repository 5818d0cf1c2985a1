/*
 * jfr_bytes.h - makes the bytes of a JFR chunk: integers, numbers and strings in the encoding of
 * the format, in memory of a fixed size.
 *
 * When something finds no room, this and everything after it is left out, and `is_full` is set. So
 * a caller writes a whole record, asks once at its end, and takes the record back if it is
 * incomplete. Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How many bytes an integer has whose value is written later. */
enum { JFR_BYTES_LATER = 4 };

struct jfr_bytes {
    unsigned char *at;
    size_t used, size;
    bool is_full; /* something was left out, and so is all that follows */
};

/** Reserves `size` bytes. A page takes memory only when it is written. Errors: 0, -ENOMEM. */
int jfr_bytes_open(struct jfr_bytes *b, size_t size);
void jfr_bytes_close(struct jfr_bytes *b);
/** Keeps the first `used` bytes, and forgets that something was left out. */
void jfr_bytes_cut(struct jfr_bytes *b, size_t used);

void jfr_bytes_raw(struct jfr_bytes *b, const void *bytes, size_t len);
/** One byte as it is: a boolean or a byte. */
void jfr_bytes_u1(struct jfr_bytes *b, uint8_t v);
/** Any integer as LEB128. A negative integer takes the largest possible number of bytes. */
void jfr_bytes_leb(struct jfr_bytes *b, uint64_t v);
/** Leaves room for an integer below 2^28. Returns its offset, for jfr_bytes_set(). */
size_t jfr_bytes_later(struct jfr_bytes *b);
/** Writes the value of the integer at this offset. */
void jfr_bytes_set(struct jfr_bytes *b, size_t at, uint32_t v);
/** Begins an event, in front of which its size will stand. Returns the offset of the event. */
size_t jfr_bytes_begin(struct jfr_bytes *b);
/** Ends the event. Returns whether it is complete. An event that found no room is taken back. */
bool jfr_bytes_end(struct jfr_bytes *b, size_t start);
void jfr_bytes_float(struct jfr_bytes *b, float v);
void jfr_bytes_double(struct jfr_bytes *b, double v);
/**
 * Writes a string. `text` is in the VM's modified UTF-8; NULL is written as the string null. A text
 * of more than 8191 bytes is cut.
 */
void jfr_bytes_text(struct jfr_bytes *b, const char *text, size_t len);
/** Like jfr_bytes_text(), with each character `from` replaced by `to`. */
void jfr_bytes_text_with(struct jfr_bytes *b, const char *text, size_t len, char from, char to);
