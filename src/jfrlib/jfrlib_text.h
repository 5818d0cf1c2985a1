/*
 * jfrlib_text.h - the texts that a handle gives: converted to UTF-8, with a final 0.
 *
 * A text lives until the next event. Texts of constants come again and again, so some of them are
 * kept until the next chunk.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

struct jfr_budget;
struct jfr_text;

enum { JFRLIB_TEXT_KEPT = 512 };

struct jfrlib_text_kept {
    const uint8_t *from; /* where the text lies in the chunk; NULL: free */
    const char *text;
    uint32_t len;
    bool is_class; /* the text was made a class name of Java */
};

struct jfrlib_text {
    struct jfr_budget *budget; /* borrowed */
    struct arena event, chunk; /* of texts until the next event and until the next chunk */
    struct jfrlib_text_kept kept[JFRLIB_TEXT_KEPT];
};

/** How a text is wanted. */
struct jfrlib_text_how {
    bool is_class;  /* a class name of the VM, which becomes Java's */
    bool is_shared; /* it belongs to a constant, so it will come again */
};

void jfrlib_text_init(struct jfrlib_text *t, struct jfr_budget *budget);
void jfrlib_text_done(struct jfrlib_text *t);
/** Forgets the texts of the present event, or of the present chunk. */
void jfrlib_text_next_event(struct jfrlib_text *t);
void jfrlib_text_next_chunk(struct jfrlib_text *t);
/** Converts a text. Errors: 0; -ENOMEM; E_LIMIT: the budget has no room for it. */
int jfrlib_text_get(struct jfrlib_text *t, const struct jfr_text *text, struct jfrlib_text_how how,
                    const char **ret_text, size_t *ret_len);
