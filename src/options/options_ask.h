/*
 * options_ask.h - the options whose words ask engines to measure: heap=, cpu=, event=, and those of
 * a single engine such as monitor=. Each engine owns its words (options_group.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct options_own;
struct options_row;

/**
 * Ask the engines with one word. If the option is given several times the last word counts. Errors:
 * 0; E_SYNTAX with the reason in `ret_why`.
 */
int options_ask_one(struct options_own *own, const struct options_row *row, const char *value,
                    char *ret_why, size_t size);
/**
 * Ask the engines with several words, separated by '+' or commas; all of them count. `own` NULL:
 * the words are only checked. Errors: as above.
 */
int options_ask_some(struct options_own *own, const struct options_row *row, const char *value,
                     char *ret_why, size_t size);
/** The words of a row for the help: "dump|sites|all". */
void options_ask_words(const struct options_row *row, char *ret, size_t size);
