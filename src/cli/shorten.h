/*
 * shorten.h - method names that fit into a column of a terminal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/** How many columns `text` takes: its characters, taking it for UTF-8. */
size_t shorten_columns(const char *text);

/**
 * Makes `text`, "package.Class.method", at most `columns` wide, in place: packages become their
 * first letters, from the left, as far as needed; if that is not enough its middle gives way to
 * "...". 0 columns: no limit.
 */
void shorten_name(char *text, size_t columns);
/** The same of what is no name of a method: its middle gives way. */
void shorten_text(char *text, size_t columns);
