/*
 * say.c - one-line messages.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "say.h"
#include <stdarg.h>
#include <stdlib.h>

void say_clean(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        putc(c < 0x20 || c == 0x7f ? '?' : c, out);
    }
}

void say(const char *format, ...)
{
    va_list args;
    char *text = NULL;

    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    /* Out of memory: the bare format still says what went wrong. */
    flockfile(stderr);
    fputs("hprof: ", stderr);
    say_clean(stderr, len < 0 ? format : text);
    putc('\n', stderr);
    funlockfile(stderr);
    if (len >= 0)
        free(text);
}
