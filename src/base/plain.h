/*
 * plain.h - text that others made (names of classes, threads, files), as a terminal may have it.
 *
 * A name can hold what drives a terminal or turns the order of a line around: control characters
 * (C0, DEL, C1), marks of writing direction, separators of lines; and bytes that are no UTF-8,
 * among which terminals may see C1. None of them is plain. The VM's modified UTF-8 is. Context:
 * any. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct sink;

/**
 * How many bytes at the front of `text` are plain. *ret_odd: so many bytes behind them are one that
 * is not, a character or a byte; 0 at the end.
 */
size_t plain_run(const char *text, size_t len, size_t *ret_odd);
/** Whether `text` is the beginning of a character that goes on. */
bool plain_is_cut(const char *text, size_t len);
/** Write a name into a line of text: a line break as a blank, what else is not plain as '?'. */
void plain_put(struct sink *s, const char *text, size_t len);
/** Copy a name, cut where there is no room for it and its final 0; what is not plain as '?'.
 * Returns its length. */
size_t plain_copy(char *to, size_t room, const char *text);
