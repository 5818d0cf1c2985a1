/*
 * annotate.h - `hprof report --source`: a profile read, a source file found, and both shown.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct load_how;
struct series;

struct annotate {
    const char *profile;
    const struct load_how *how;
    const char *what;           /* a method, a class or a file */
    const char *const *folders; /* where sources are */
    size_t folder_count;
    const struct series *series; /* NULL: the first that the profile has */
    const char *output;          /* a page, which is made anew; NULL: text on standard output */
};

/** Errors: 0, or negative after saying why. */
int annotate_show(const struct annotate *s);
