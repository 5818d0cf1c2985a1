/*
 * attach_reply.h - the answer of a JVM: a line with a number, and text.
 *
 * The number is 0 if the JVM has carried out the command. But several commands answer 0 and report
 * their failure in the text (attach_load.h, attach_reply_says()). Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* the number of a JVM that does not know the version of the protocol */
enum { ATTACH_REPLY_BAD_VERSION = 101 };

struct attach_reply {
    char *bytes; /* the whole answer, with a 0 behind it; malloc'ed */
    size_t len, room;
    int code;         /* the number in the first line */
    const char *text; /* in `bytes`: the text behind the first line */
    size_t text_len;
};

/** Make room for `more` bytes behind `len`, and the 0. Errors: 0, -ENOMEM. */
int attach_reply_grow(struct attach_reply *r, size_t more);
/** Find the number and the text, after all bytes were received. Errors: 0; E_FORMAT,
 * E_TRUNCATED. */
int attach_reply_parse(struct attach_reply *r);
/** Whether the text begins with `prefix`. */
bool attach_reply_says(const struct attach_reply *r, const char *prefix);
void attach_reply_done(struct attach_reply *r);
