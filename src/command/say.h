/*
 * say.h - messages of the command on stderr: one line each, with "hprof: " before it.
 *
 * A message reads "what: where or why; what to do". Control characters in a file name or an
 * argument are shown as '?', so a message is always one line and cannot control a terminal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdio.h>

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Works like say(), for a part of a line on standard output, with nothing before or after it. */
void say_out(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Writes `text` to `out`. Characters that are not plain (base/plain.h) become '?'. */
void say_clean(FILE *out, const char *text);
