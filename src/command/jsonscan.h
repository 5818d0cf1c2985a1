/*
 * jsonscan.h - reads a text of JSON piece by piece.
 *
 * Knows no schema and keeps nothing but the string that was read last. Takes what RFC 8259 permits,
 * and more: numbers and words are not checked. The bytes may be hostile: nesting has a limit, and
 * after the first error each call says JSONSCAN_BAD. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "command/textbuf.h"

enum { JSONSCAN_DEPTH = 60 };

enum jsonscan_piece {
    JSONSCAN_BAD,
    JSONSCAN_END, /* the text has ended, and everything in it was closed */
    JSONSCAN_OBJECT,
    JSONSCAN_OBJECT_END,
    JSONSCAN_ARRAY,
    JSONSCAN_ARRAY_END,
    JSONSCAN_NAME,   /* the name of a member, in `text`; its value follows */
    JSONSCAN_STRING, /* in `text` */
    JSONSCAN_OTHER,  /* a number, true, false or null: as it stands, in `text` */
};

struct jsonscan {
    const char *at, *end;
    unsigned depth;
    uint64_t arrays; /* bit N: the nesting N is an array */
    bool has_value;  /* a comma must come before the next value */
    bool is_named;   /* a name was read */
    bool is_bad;
    struct textbuf text; /* UTF-8; with a final 0 that its length does not count */
};

void jsonscan_init(struct jsonscan *s, const char *text, size_t len);
void jsonscan_done(struct jsonscan *s);
enum jsonscan_piece jsonscan_next(struct jsonscan *s);
/** Reads on to the end of the value that begins with `piece`. Returns false if the text is bad. */
bool jsonscan_skip(struct jsonscan *s, enum jsonscan_piece piece);
/** Whether the text that was read last is this one. */
bool jsonscan_is(const struct jsonscan *s, const char *word);
