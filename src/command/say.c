/*
 * say.c - writes messages of one line.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/say.h"
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

/* Writes one message, which is never mixed with messages of other threads. If there is no memory,
 * the format itself still says what went wrong. */
static void put(FILE *out, const char *before, const char *behind, const char *format, va_list args)
{
    char *text = NULL;
    int len = vasprintf(&text, format, args);
    flockfile(out);
    fputs(before, out);
    say_clean(out, len < 0 ? format : text);
    fputs(behind, out);
    funlockfile(out);
    if (len >= 0)
        free(text);
}

void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put(stderr, "hprof: ", "\n", format, args);
    va_end(args);
}

void say_out(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put(stdout, "", "", format, args);
    va_end(args);
}
