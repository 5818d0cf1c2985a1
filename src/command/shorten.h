/*
 * shorten.h - shortens method names so that they fit into a column of a terminal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/** The number of columns of `text`, which is the number of its UTF-8 characters. */
size_t shorten_columns(const char *text);

/**
 * Makes `text`, a name like "package.Class.method", at most `columns` wide, in place. First
 * packages are cut to their first letters, from the left, as far as needed. If that is not enough,
 * "..." replaces the middle. 0 columns: no limit.
 */
void shorten_name(char *text, size_t columns);
/** Works like shorten_name() for other texts: only the middle is replaced. */
void shorten_text(char *text, size_t columns);
