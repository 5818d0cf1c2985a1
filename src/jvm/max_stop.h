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
struct perfdata;

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

/** The work that is done with the heap. */
enum max_stop_work {
    MAX_STOP_HISTO,
    MAX_STOP_DUMP,
    MAX_STOP_PACKED, /* the JVM writes a packed dump */
    MAX_STOP_FORK,   /* a frozen child writes the dump */
    MAX_STOP_STAND,  /* the same while the JVM stands still */
    MAX_STOP_WORKS
};

/**
 * Whether `who` may be asked to dump or count its heap. How long it will stand still is estimated
 * before: the used bytes of its counters, times a measured time for each byte
 * (docs/measurements/heap-dump.md, "What a stop is reckoned with"). A busy machine or a slow disk
 * takes longer. Since JDK 25 the counters hold the used bytes after the last collection.
 *
 * Returns 0; if the pause is expected to be longer than a second, says so before. Returns
 * CMD_FAILED, after saying why, if the pause would be longer than `most_ns` (0: no bound).
 * `instead` names what else the command can do: " --fork or"; "" for nothing.
 */
int max_stop_check_heap(const struct perfdata *p, const char *who, enum max_stop_work work,
                        bool is_live, uint64_t most_ns, const char *instead);
