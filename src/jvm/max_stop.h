/*
 * max_stop.h - the option --max-stop: how long a command may stop another program.
 *
 * A command that stops a JVM by ptrace(2) lets it go on when the time is over, and counts what it
 * has not read. A command that makes the JVM do something during which the JVM stands still
 * estimates the time before, and does nothing if the time would be longer. If a stop is expected to
 * be longer than a second, the command says so before the stop.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct cmd;

/** The help text of the option: MAX_STOP_HELP for commands that stop a JVM themselves,
 * MAX_STOP_HELP_ASKED for commands after which the JVM itself stops. */
#define MAX_STOP_HELP "let it stand still for so long at most; 0 or none: no bound (1s)"
#define MAX_STOP_HELP_ASKED                                                                        \
    "do nothing if the JVM would stand still for longer; 0 or none: no bound (1s)"

/** The value without the option, in nanoseconds. */
extern const uint64_t max_stop_usual_ns;

/** Parses the value of --max-stop; *ret_ns 0: no bound. Errors: 0; negative after saying what is
 * wanted. */
int max_stop_parse(const struct cmd *cmd, const char *text, uint64_t *ret_ns);

/** Writes "1 s", "250 ms" or "1.5 s". The text is static and valid until the next call. */
const char *max_stop_text(uint64_t ns);

/** Says that `who` will stand still for up to `expected_ns`, because of `what`, if that is longer
 * than a second and the bound `most_ns` allows it. */
void max_stop_say_before(const char *who, uint64_t expected_ns, uint64_t most_ns, const char *what);
