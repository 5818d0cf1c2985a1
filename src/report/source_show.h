/*
 * source_show.h - prints a source file with what was measured beside each line, as text or as a
 * page.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct source;

/**
 * Prints the file at `path`: the whole file, or the lines around a method that was named. `words`
 * name the value: "samples". `misfit` is the line that source_fit() returned; 0: none. Errors: 0;
 * -errno: the file cannot be read.
 */
int source_show(FILE *out, const struct source *s, const char *path, const char *words,
                int32_t misfit, bool as_html);
