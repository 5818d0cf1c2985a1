/*
 * attach_cause.c - see attach_cause.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach/attach_cause.h"

static const struct {
    const char *word, *what, *remedy;
} rows[ATTACH_CAUSE_COUNT] = {
    [ATTACH_OK] = {"OK", "it can be asked", ""},
#define CAUSE(name, what, remedy) [ATTACH_##name] = {#name, what, remedy},
#include "attach/attach_cause.def"
#undef CAUSE
};

const char *attach_cause_text(enum attach_cause cause)
{
    return rows[cause].what;
}

const char *attach_cause_remedy(enum attach_cause cause)
{
    return rows[cause].remedy;
}

const char *attach_cause_word(enum attach_cause cause)
{
    return rows[cause].word;
}
