/*
 * options_name.h - a file name with placeholders.
 *
 * %p is the process id, %t the time, %n the number of the file (with %n{MAX} the numbers begin
 * again after MAX files), %{ENV} an environment variable, %c a comma (a comma itself would end the
 * option), %% a percent sign. The placeholders have the same meaning as in async-profiler. Context:
 * any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether the pattern gives several files different names. */
bool options_name_turns(const char *pattern);
/** The MAX of a %n{MAX} in the pattern; 0: it has none. */
uint32_t options_name_cycle(const char *pattern);
/**
 * Writes the name of the file with number `turn`, which counts from 0. Errors: 0; E_LIMIT: it does
 * not fit; E_NOT_FOUND: the environment has no variable with the name that is now in `ret`.
 */
int options_name_expand(const char *pattern, uint32_t turn, char *ret, size_t size);
