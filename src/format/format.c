/*
 * format.c - finding a format in the registry: see format.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/format.h"
#include <string.h>

const struct format *format_named(const char *name)
{
    for (const struct format *const *f = format_all; *f; f++) {
        if (strcmp((*f)->name, name) == 0)
            return *f;
    }
    return NULL;
}

const struct format *format_probe(const unsigned char *bytes, size_t len)
{
    const struct format *best = NULL;
    int best_fit = 0;
    for (const struct format *const *f = format_all; *f; f++) {
        int fit = (*f)->probe(bytes, len);
        if (fit > best_fit) {
            best = *f;
            best_fit = fit;
        }
    }
    return best;
}
