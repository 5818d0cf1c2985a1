/*
 * diag.c - see diag.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/diag.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void diag_tell(struct diag *d, int code, const char *place, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    d->tell(d, code, place, len < 0 ? format : text);
    if (len >= 0)
        free(text);
}

void diag_advance(struct diag *d, const char *place, uint64_t done, uint64_t whole)
{
    if (d->advance)
        d->advance(d, place, done, whole);
}
