/*
 * max_stop.h - the option --max-stop: how long a command may keep somebody else's program standing.
 *
 * A command that stops a JVM by ptrace(2) lets it go when the time is over, and counts what it has
 * not read. One that has the JVM do something during which it stands reckons the time beforehand
 * and does nothing where it would be longer. A stop that will be longer than a second is told of
 * before it begins. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct cmd;

/** What the row of the option says in each command that stops by itself; and in those that have the
 * JVM do so. */
#define MAX_STOP_HELP "let it stand still for so long at most; 0 or none: no bound (1s)"
#define MAX_STOP_HELP_ASKED                                                                        \
    "do nothing if the JVM would stand still for longer; 0 or none: no bound (1s)"

/** What holds without the option, in nanoseconds. */
extern const uint64_t max_stop_usual_ns;

/** The value of --max-stop; 0: there is no bound. 0; negative after saying what is wanted. */
int max_stop_parse(const struct cmd *cmd, const char *text, uint64_t *ret_ns);

/** "1 s", "250 ms", "1.5 s": static text until the next call. */
const char *max_stop_text(uint64_t ns);

/** Says that `who` will stand still for up to `expected_ns`, for `what`, if that is longer than a
 * second and the bound allows it. */
void max_stop_say_before(const char *who, uint64_t expected_ns, uint64_t most_ns, const char *what);
