/*
 * plainout.h - the door for text on its way to people: what is not plain (base/plain.h) becomes
 * '?', but for ends of lines and tabs.
 *
 * What was recorded by others, names of files too, reaches a terminal through this, say() or
 * say_out() (cli/say.h), or what puts names with base/plain.h; tests/check/doors.py knows the
 * others. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/sink.h"

struct plainout {
    struct sink sink; /* for who writes */
    struct sink to;
    char cut[8]; /* the beginning of a character whose end has not come */
    size_t cut_len;
    bool is_text; /* looked at; else all goes through as it is */
};

/** To standard output. `is_data`: what other programs read, which only a terminal gets plain.
 * Errors: 0, -ENOMEM. Owner: plainout_done(), after success. May not move. */
int plainout_open(struct plainout *p, bool is_data);
/** Returns the first error. */
int plainout_done(struct plainout *p);
