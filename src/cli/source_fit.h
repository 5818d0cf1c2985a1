/*
 * source_fit.h - whether a source file is the one that was compiled.
 *
 * A compiler gives no line to a comment, an import or nothing at all: a file in which such a line
 * was measured, or that ends before one, is of another version. A file that only looks like it
 * passes. So is a file in which most lines that called methods do not name them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct source;

/** The first measured line that has no code in the file at `path`, or lies behind its end, or of
 * most that name not what they called; 0: none. Errors: -errno, the file cannot be read. */
int32_t source_fit(const struct source *s, const char *path);
