/*
 * heap_keep.h - the option --keep of commands that leave values out of heap dumps: the classes that
 * keep theirs.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

enum { HEAP_KEEP_TEXT = 4096 }; /* as long as a value of the agent's options may be */

#define HEAP_KEEP_HELP "objects of this class keep their values; may have * and ?"

/** All patterns, with semicolons between them, as struct hprof_redact_rule has them. */
struct heap_keep {
    char text[HEAP_KEEP_TEXT];
    size_t len;
};

/** Adds a pattern. Errors: 0; E_SYNTAX and E_LIMIT after saying why; `command` is named. */
int heap_keep_add(struct heap_keep *k, const char *command, const char *pattern);
