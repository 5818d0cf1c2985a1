/*
 * source_fit.h - checks whether a source file is the one that was compiled.
 *
 * A compiler gives no line number to a comment, an import or an empty line. If the profile has
 * values in such a line, or after the end of the file, the file is of another version. The file is
 * also of another version if most lines that called methods do not contain their names. A file of
 * another version that looks the same passes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct source;

/** The first line of the profile that has no code in the file at `path`, or is after its end, or
 * does not name the method that it called (if most such lines do not). 0: there is none. Errors:
 * -errno, the file cannot be read. */
int32_t source_fit(const struct source *s, const char *path);
