/*
 * frame_kind.c - see frame_kind.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/frame_kind.h"
#include <string.h>

static const char *const words[FRAME_KINDS] = {
    [FRAME_JAVA] = "java",     [FRAME_INTERPRETED] = "interpreted", [FRAME_C1] = "C1",
    [FRAME_C2] = "C2",         [FRAME_INLINED] = "inlined",         [FRAME_NATIVE] = "native",
    [FRAME_KERNEL] = "kernel",
};

const char *frame_kind_word(enum frame_kind kind)
{
    return words[kind];
}

enum frame_kind frame_kind_named(const char *word, size_t len)
{
    int kind = 0;
    while (kind < FRAME_KINDS &&
           (strlen(words[kind]) != len || memcmp(words[kind], word, len) != 0))
        kind++;
    return (enum frame_kind)kind;
}
