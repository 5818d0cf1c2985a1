/*
 * wall_words.h - the options that choose among the threads of samples of wall-clock time.
 *
 * They go to the agent as options of its own; lists have commas, as its users write them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct cmd;
struct inject;

#define WALL_WORDS_THREADS_HELP "with -e wall: threads of these names, as in main,http-* (all)"
#define WALL_WORDS_STATES_HELP "with -e wall: threads that do this, as in waiting,blocked (all)"
#define WALL_WORDS_DAEMON_HELP "with -e wall: daemon threads alone, or all others (both)"

/** Their rows; the ids are the command's. */
#define WALL_WORDS_ROWS(threads, states, daemon)                                                   \
    {threads, 0, "wall-threads", "NAMES", WALL_WORDS_THREADS_HELP},                                \
        {states, 0, "wall-states", "WORDS", WALL_WORDS_STATES_HELP},                               \
    {                                                                                              \
        daemon, 0, "wall-daemon", "y|n", WALL_WORDS_DAEMON_HELP                                    \
    }

/** Which of the three. */
enum wall_words {
    WALL_WORDS_THREADS,
    WALL_WORDS_STATES,
    WALL_WORDS_DAEMON,
};

/** Passes `value` to the agent; `to->failed` after saying why it cannot be, in the words of `cmd`.
 */
void wall_words_add(const struct cmd *cmd, struct inject *to, enum wall_words which,
                    const char *value);
