/*
 * log.c - see log.h. A line goes out in one write, so lines of several threads do not mix.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/log.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 6144 };

static void put(const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(STDERR_FILENO, bytes, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* nobody listens: not the application's problem */
        bytes += n;
        len -= (size_t)n;
    }
}

__attribute__((format(printf, 2, 0))) static void line(const char *prefix, const char *format,
                                                       va_list arguments)
{
    char text[LINE];
    int n = snprintf(text, sizeof(text), "%s", prefix);
    int m = vsnprintf(text + n, sizeof(text) - (size_t)n - 1, format, arguments);

    n += m < 0 ? 0 : m;
    if (n > LINE - 2)
        n = LINE - 2;
    text[n] = '\n';
    put(text, (size_t)n + 1);
}

void log_error(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    line("HPROF ERROR: ", format, arguments);
    va_end(arguments);
}

void log_note(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    line("HPROF: ", format, arguments);
    va_end(arguments);
}

void log_piece(const char *text)
{
    put(text, strlen(text));
}
