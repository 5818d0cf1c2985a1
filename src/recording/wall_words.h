/*
 * wall_words.h - the options that choose threads for samples of wall-clock time.
 *
 * They are passed to the agent as options of its own. A list has commas on the command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct cmd;
struct inject;

#define WALL_WORDS_THREADS_HELP "with -e wall: threads of these names, as in main,http-* (all)"
#define WALL_WORDS_STATES_HELP "with -e wall: threads that do this, as in waiting,blocked (all)"
#define WALL_WORDS_DAEMON_HELP "with -e wall: daemon threads alone, or all others (both)"

/** The rows of these options; the command gives their ids. */
#define WALL_WORDS_ROWS(threads, states, daemon)                                                   \
    {threads, 0, "wall-threads", "NAMES", WALL_WORDS_THREADS_HELP},                                \
        {states, 0, "wall-states", "WORDS", WALL_WORDS_STATES_HELP},                               \
    {                                                                                              \
        daemon, 0, "wall-daemon", "y|n", WALL_WORDS_DAEMON_HELP                                    \
    }

/** One of the three options. */
enum wall_words {
    WALL_WORDS_THREADS,
    WALL_WORDS_STATES,
    WALL_WORDS_DAEMON,
};

/** Passes `value` to the agent. Sets `to->failed` if this is impossible, after saying why in the
 * words of `cmd`. */
void wall_words_add(const struct cmd *cmd, struct inject *to, enum wall_words which,
                    const char *value);
