/*
 * agent_words.h - command line options of commands that start recordings, turned into the agent's
 * option string.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "jvm/asking.h"
#include "recording/inject.h"

struct cmd;
struct opts;
struct series;

/* ---- options of `hprof run`, too */

/** The help text of --on. */
#define AGENT_WORDS_ON_HELP                                                                        \
    "begin when it happens: throw=CLASS, uncaught, method=CLASS::METHOD[:>50ms], gc=>200ms, oom, " \
    "cgroup=75%; with :stop, :dump, :threads, :heap, :histo or :launch=PROGRAM behind it do "      \
    "that; "                                                                                       \
    "exit:dump"

/** The word of the trigger with index `i`, for example "throw"; NULL: there is none. */
const char *agent_words_trigger(unsigned i);
/** Turns a word of --on into the agent's option for a trigger, and appends it: throw=X:dump becomes
 * onthrow=X:dump. Errors are reported, and set in->failed. */
void agent_words_add_on(struct inject *in, const char *text);

#define AGENT_WORDS_THREADS_HELP "with -e wall: threads of these names, as in main,http-* (all)"
#define AGENT_WORDS_STATES_HELP "with -e wall: threads that do this, as in waiting,blocked (all)"
#define AGENT_WORDS_DAEMON_HELP "with -e wall: daemon threads alone, or all others (both)"

/** The rows of these options; the command gives their ids. */
#define AGENT_WORDS_WALL_ROWS(threads, states, daemon)                                             \
    {threads, 0, "wall-threads", "NAMES", AGENT_WORDS_THREADS_HELP},                               \
        {states, 0, "wall-states", "WORDS", AGENT_WORDS_STATES_HELP},                              \
    {                                                                                              \
        daemon, 0, "wall-daemon", "y|n", AGENT_WORDS_DAEMON_HELP                                   \
    }

/** Says that the value of an option is refused, and why in the words of `cmd`. `shown` is the name
 * of the option without dashes. */
void agent_words_refuse(const struct cmd *cmd, const char *shown, const char *text,
                        const char *why);
/**
 * Passes an option of the command on to the agent, as own_words_of() translates it. A list has
 * commas on the command line. Sets `to->failed` if the agent would not accept the value, after
 * saying why in the words of `cmd`.
 */
void agent_words_pass(const struct cmd *cmd, struct inject *to, const char *option,
                      const char *given);

/**
 * Passes the names of --event on. Users of other profilers write cpu,alloc; the agent separates its
 * options by commas, so the names are joined by '+'. A word such as method=A::b or lock=1ms becomes
 * the option of that name. *drawn, if it is NULL, becomes the first series that is named and can be
 * drawn. Errors are reported, and set to->failed.
 */
void agent_words_add_event(const struct cmd *cmd, struct inject *to, const char *names,
                           const struct series **drawn);
/** Checks the names of --event. Errors: 0, or negative after saying which is wrong. */
int agent_words_check_event(const struct cmd *cmd, const char *names);

/* ---- options of commands that start a recording in a live JVM */

/** Ids of the options. The ids of a command's own options begin after the last. */
enum {
    AGENT_WORDS_EVENT = ASKING_OPT_TIMEOUT + 1,
    AGENT_WORDS_INTERVAL,
    AGENT_WORDS_DEPTH,
    AGENT_WORDS_THREADS,
    AGENT_WORDS_WALL_THREADS,
    AGENT_WORDS_WALL_STATES,
    AGENT_WORDS_WALL_DAEMON,
    AGENT_WORDS_OTHER,
    AGENT_WORDS_LIBRARY,
    AGENT_WORDS_END,
};

/** The rows of these options in the table of a command. */
#define AGENT_WORDS_ROWS                                                                           \
    {AGENT_WORDS_EVENT, 'e', "event", "NAMES", "what is measured, as in cpu,alloc (cpu)"},         \
        {AGENT_WORDS_INTERVAL, 'i', "interval", "TIME",                                            \
         "CPU time between samples: 500us, 1ms (10ms)"},                                           \
        {AGENT_WORDS_DEPTH, 'j', "depth", "N", "frames to keep of a stack (512)"},                 \
        {AGENT_WORDS_THREADS, 't', "threads", NULL, "count stacks of different threads apart"},    \
        AGENT_WORDS_WALL_ROWS(AGENT_WORDS_WALL_THREADS, AGENT_WORDS_WALL_STATES,                   \
                              AGENT_WORDS_WALL_DAEMON),                                            \
        {AGENT_WORDS_OTHER, 'O', "agent-option", "NAME=VALUE",                                     \
         "pass this to the agent; may be repeated"},                                               \
        {AGENT_WORDS_LIBRARY, 0, "agent", "PATH",                                                  \
         "an agent library in place of the command's own"},                                        \
    {                                                                                              \
        ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP                              \
    }

/** The rows that a project's file may set. */
#define AGENT_WORDS_PROJECT                                                                        \
    {AGENT_WORDS_EVENT, PROJECT_ANY}, {AGENT_WORDS_INTERVAL, PROJECT_ANY},                         \
        {AGENT_WORDS_DEPTH, PROJECT_ANY}, {AGENT_WORDS_THREADS, PROJECT_ANY},                      \
        {AGENT_WORDS_WALL_THREADS, PROJECT_ANY}, {AGENT_WORDS_WALL_STATES, PROJECT_ANY},           \
        {AGENT_WORDS_WALL_DAEMON, PROJECT_ANY},                                                    \
    {                                                                                              \
        ASKING_OPT_TIMEOUT, PROJECT_ANY                                                            \
    }

struct agent_words {
    struct asking_line line;
    struct inject items;
    const char *library; /* NULL: the command's own library */
    bool has_event, has_depth;
    const struct series *drawn; /* the first named series that can be drawn; NULL: none is named */
};

/** Works like asking_take(), and also takes the options of this file. Owner:
 * inject_done(&w->items). */
int agent_words_take(struct agent_words *w, const struct opts *opts, int id);
/** After the last option: adds the defaults, event=cpu and depth=512, for what was not named. */
void agent_words_end(struct agent_words *w);
/**
 * Whether the agent of this build would accept all options, with `more` appended. It is called
 * before the JVM is touched. If the user named a library, nothing is known of its options, and
 * nothing is checked.
 * Errors: 0; CMD_USAGE after saying why.
 */
int agent_words_check(const struct agent_words *w, const char *more);
