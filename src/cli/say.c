/*
 * say.c - one-line messages.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "say.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/plain.h"

void say_clean(FILE *out, const char *text)
{
    size_t len = strlen(text);

    while (len > 0) {
        size_t odd, n = plain_run(text, len, &odd);

        fwrite(text, 1, n, out);
        if (odd != 0)
            putc('?', out);
        text += n + odd;
        len -= n + odd;
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

void say_out(const char *format, ...)
{
    va_list args;
    char *text = NULL;

    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    flockfile(stdout);
    say_clean(stdout, len < 0 ? format : text);
    funlockfile(stdout);
    if (len >= 0)
        free(text);
}
