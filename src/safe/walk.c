/*
 * walk.c - the words for the causes of walk.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/walk.h"

static const struct {
    const char *word, *text;
} causes[WALK_CAUSE_COUNT] = {
#define WALK(name, word, text) {word, text},
#include "walk_cause.def"
#undef WALK
};

const char *walk_cause_word(enum walk_cause cause)
{
    return (unsigned)cause < WALK_CAUSE_COUNT ? causes[cause].word : "other";
}

const char *walk_cause_text(enum walk_cause cause)
{
    return (unsigned)cause < WALK_CAUSE_COUNT ? causes[cause].text : "another cause";
}
