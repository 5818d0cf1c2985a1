/*
 * jfr_text.h - the strings of JFR files, in the encodings that they have there.
 *
 * A text is borrowed from the file and made UTF-8 when somebody wants it. What is not legal UTF-8
 * there, or half of a pair of UTF-16, becomes U+FFFD, as in the JDK's tool.
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
    uint64_t key; /* of JFR_LAYOUT_STRING_POOL */
};

/** Reads a string, or passes over it. A count of units is believed as far as bytes are there. */
struct jfr_text jfr_text_read(struct leb *l);
void jfr_text_skip(struct leb *l);
/** How many bytes jfr_text_utf8() writes at most. */
size_t jfr_text_room(const struct jfr_text *text);
/** Writes the text as UTF-8 to `to`, without a NUL; returns how many bytes. */
size_t jfr_text_utf8(const struct jfr_text *text, char *to);
/** Whether the text is these bytes of UTF-8. */
bool jfr_text_is(const struct jfr_text *text, const char *utf8, size_t len);
