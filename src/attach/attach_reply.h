/*
 * attach_reply.h - what a JVM answers: a number in a line of its own, and text.
 *
 * The number is 0 when the JVM has done what it was told, but several commands say 0 and tell of
 * their failure in the text (attach_load.h, attach_reply_says()). Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { ATTACH_REPLY_BAD_VERSION = 101 }; /* the number of a JVM that does not know the protocol */

struct attach_reply {
    char *bytes; /* all of it, a 0 behind it; malloc'ed */
    size_t len, room;
    int code;         /* the number */
    const char *text; /* in `bytes`: what follows the line of the number */
    size_t text_len;
};

/** Room for `more` bytes behind `len`, and the 0. Errors: 0, -ENOMEM. */
int attach_reply_grow(struct attach_reply *r, size_t more);
/** Finds the number and the text once all bytes are there. Errors: 0; E_FORMAT, E_TRUNCATED. */
int attach_reply_parse(struct attach_reply *r);
/** Whether the text begins with `prefix`. */
bool attach_reply_says(const struct attach_reply *r, const char *prefix);
void attach_reply_done(struct attach_reply *r);
