/*
 * options_ask.h - the options whose words ask engines to measure: heap=, cpu=, event= and those of
 * a single engine. The words are the engines' own (options_group.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct options_own;
struct options_row;

/**
 * Note who is asked by `value`: one word, of which the last said counts. Errors: 0; E_SYNTAX with
 * the reason in `ret_why`.
 */
int options_ask_one(struct options_own *own, const struct options_row *row, const char *value,
                    char *ret_why, size_t size);
/**
 * The same with words that are joined by '+' or a comma, all of which count. With `own` NULL they
 * are only checked.
 */
int options_ask_some(struct options_own *own, const struct options_row *row, const char *value,
                     char *ret_why, size_t size);
/** The words of a row as the help has them: "dump|sites|all". */
void options_ask_words(const struct options_row *row, char *ret, size_t size);
