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

enum frame_kind frame_kind_walked(enum walk_kind kind)
{
    static const uint8_t kinds[] = {
        [WALK_KIND_JAVA] = FRAME_JAVA,       [WALK_KIND_INTERPRETED] = FRAME_INTERPRETED,
        [WALK_KIND_C1] = FRAME_C1,           [WALK_KIND_C2] = FRAME_C2,
        [WALK_KIND_INLINED] = FRAME_INLINED, [WALK_KIND_NATIVE] = FRAME_JAVA,
        [WALK_KIND_STUB] = FRAME_NATIVE,     [WALK_KIND_CPP] = FRAME_NATIVE,
        [WALK_KIND_KERNEL] = FRAME_KERNEL,
    };
    return (enum frame_kind)kinds[kind];
}

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
