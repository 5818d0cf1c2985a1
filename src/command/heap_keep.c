/*
 * heap_keep.c - see heap_keep.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/heap_keep.h"
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "command/say.h"

int heap_keep_add(struct heap_keep *k, const char *command, const char *pattern)
{
    size_t room = sizeof(k->text) - k->len;
    /* The agent's options are separated by commas. */
    if (*pattern == '\0' || strpbrk(pattern, ",;\n")) {
        say("%s: --keep '%s': wanted is the name of a class, as java.lang.Thread or int[]; it may "
            "have * and ?",
            command, pattern);
        return E_SYNTAX;
    }
    int len = snprintf(k->text + k->len, room, "%s%s", k->len > 0 ? ";" : "", pattern);
    if (len < 0 || (size_t)len >= room) {
        say("%s: the patterns of --keep have more than %d bytes; a pattern with * stands for many "
            "classes",
            command, HEAP_KEEP_TEXT - 1);
        return E_LIMIT;
    }
    k->len += (size_t)len;
    return 0;
}
