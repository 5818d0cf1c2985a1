/*
 * source_show.h - a source file with what was measured beside each line, as text or as a page.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct source;

/**
 * Prints the file at `path`: all of it, or the lines around a method that was named. `words` are
 * those of the value: "samples"; `misfit` is the line of source_fit(), 0 none. Errors: 0; -errno:
 * the file cannot be read.
 */
int source_show(FILE *out, const struct source *s, const char *path, const char *words,
                int32_t misfit, bool as_html);
