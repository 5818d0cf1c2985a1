/*
 * plain.h - text that others made (names of classes, threads, files), made safe for a terminal.
 *
 * A name can hold characters that control a terminal or reverse the order of a line: control
 * characters (C0, DEL, C1), marks of writing direction, line separators. It can also hold bytes
 * that are not UTF-8, which some terminals take as C1. None of these is plain. The VM's modified
 * UTF-8 is plain. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct sink;

/**
 * How many bytes at the front of `text` are plain. *ret_odd is the length of what follows and is
 * not plain, one character or one byte; 0 at the end of the text.
 */
size_t plain_run(const char *text, size_t len, size_t *ret_odd);
/** Whether `text` is the beginning of a character whose last bytes are missing. */
bool plain_is_cut(const char *text, size_t len);
/** Write a name into a line of text. A line break becomes a blank, everything else that is not
 * plain becomes '?'. */
void plain_put(struct sink *s, const char *text, size_t len);
/** Copy a name; what is not plain becomes '?'. The name is cut if it and its final 0 do not fit.
 * Returns the length of the copy. */
size_t plain_copy(char *to, size_t room, const char *text);
