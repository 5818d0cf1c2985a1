/*
 * wildcard.h - matches names with patterns: '*' stands for any characters, '?' for one character.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/**
 * Whether the whole text matches the pattern. With `folds_case` the case of ASCII letters does not
 * matter. The search goes back only to the last star, so its time is at most the product of both
 * lengths.
 */
bool wildcard_matches(const char *pattern, size_t pattern_len, const char *text, size_t len,
                      bool folds_case);
