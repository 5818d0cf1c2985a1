/*
 * say.h - what the command tells its user on stderr: one line a message, with "hprof: " before it.
 *
 * A message reads "what: where or why; what to do". Control characters that came in with a file
 * name or an argument are shown as '?', so a message is always one line and never drives a
 * terminal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdio.h>

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The same for a part of a line on standard output, with nothing before it or behind it. */
void say_out(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** `text` to `out`; what is not plain (base/plain.h) as '?'. */
void say_clean(FILE *out, const char *text);
