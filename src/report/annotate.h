/*
 * annotate.h - `hprof report --source`: reads a profile, finds a source file, and shows it
 * with what was measured beside each line, as text or as a page.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct load_how;
struct series;

struct annotate {
    const char *profile;
    const struct load_how *how;
    const char *what;           /* the name of a method, a class or a file */
    const char *const *folders; /* the folders that hold sources */
    size_t folder_count;
    const struct series *series; /* NULL: the first series that the profile has */
    const char *output;          /* the HTML page to write; NULL: text on standard output */
};

/** Errors: 0, or negative after saying why. */
int annotate_show(const struct annotate *s);
