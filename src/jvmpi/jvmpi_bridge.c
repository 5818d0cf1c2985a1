/*
 * jvmpi_bridge.c - see jvmpi_bridge.h.
 *
 * A line is written by one write, so lines of several threads do not mix.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_bridge.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct jvmpi_bridge jvmpi_bridge;

enum { LINE = 4096 };

void jvmpi_bridge_say(const char *format, ...)
{
    static const char name[] = "libjvmpi: ";
    char line[LINE];
    size_t used = sizeof(name) - 1;
    va_list arguments;
    ssize_t taken;
    memcpy(line, name, used);
    va_start(arguments, format);
    vsnprintf(line + used, sizeof(line) - used - 1, format, arguments);
    va_end(arguments);
    used = strlen(line);
    line[used++] = '\n';
    taken = write(STDERR_FILENO, line, used);
    (void)taken; /* an error is ignored: it is not the program's problem if nobody reads the line */
}
