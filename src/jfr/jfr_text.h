/*
 * jfr_text.h - the strings of JFR files, in the encodings of the format.
 *
 * A text is borrowed from the file and converted to UTF-8 on demand. Illegal UTF-8, or half of a
 * pair of UTF-16 surrogates, becomes U+FFFD, as in the JDK's tool.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jfr/jfr_layout.h"
#include "jfr/leb.h"

struct jfr_text {
    enum jfr_layout_string encoding;
    const uint8_t *bytes;
    size_t len;   /* bytes */
    uint64_t key; /* for JFR_LAYOUT_STRING_POOL */
};

/** Read a string, or skip it. A count that is larger than the bytes that are left is an error. */
struct jfr_text jfr_text_read(struct leb *l);
void jfr_text_skip(struct leb *l);
/** The most bytes that jfr_text_utf8() can write. */
size_t jfr_text_room(const struct jfr_text *text);
/** Writes the text as UTF-8 to `to`, without a final NUL. Returns how many bytes. */
size_t jfr_text_utf8(const struct jfr_text *text, char *to);
/** Whether the text equals these bytes of UTF-8. */
bool jfr_text_is(const struct jfr_text *text, const char *utf8, size_t len);
