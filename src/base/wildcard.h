/*
 * wildcard.h - names by patterns: '*' stands for any characters, '?' for one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/**
 * Whether the whole text fits the pattern; with `folds_case` ASCII letters of either case are one.
 * Goes back to the last star alone, so it takes no longer than both lengths multiplied.
 */
bool wildcard_matches(const char *pattern, size_t pattern_len, const char *text, size_t len,
                      bool folds_case);
