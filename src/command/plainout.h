/*
 * plainout.h - an output for text that people read: all characters that are not plain
 * (base/plain.h) become '?', except line ends and tabs.
 *
 * Text from recordings and files of others, including file names, may reach a terminal only through
 * plainout, through say() or say_out() (command/say.h), or through functions of base/plain.h.
 * tests/check/doors.py checks this.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/sink.h"

struct plainout {
    struct sink sink; /* callers write here */
    struct sink to;
    char cut[8]; /* the beginning of a character whose end has not come yet */
    size_t cut_len;
    bool is_text; /* characters are checked; false: all bytes pass unchanged */
};

/** Opens standard output. `is_data`: the text is for other programs, so characters are only
 * replaced on a terminal. Errors: 0, -ENOMEM. Owner: plainout_done(), after success. *p may not
 * move. */
int plainout_open(struct plainout *p, bool is_data);
/** Writes the rest. Returns the first error. */
int plainout_done(struct plainout *p);
