/*
 * agent_words.h - the options of commands that have the agent record, as its option string.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "cli/asking.h"
#include "cli/inject.h"
#include "cli/wall_words.h"

struct opts;
struct series;

/** Ids of the options; a command's own ones begin behind the last. */
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

/** Their rows. */
#define AGENT_WORDS_ROWS                                                                           \
    {AGENT_WORDS_EVENT, 'e', "event", "NAMES", "what is measured, as in cpu,alloc (cpu)"},         \
        {AGENT_WORDS_INTERVAL, 'i', "interval", "TIME",                                            \
         "CPU time between samples: 500us, 1ms (10ms)"},                                           \
        {AGENT_WORDS_DEPTH, 'j', "depth", "N", "frames to keep of a stack (512)"},                 \
        {AGENT_WORDS_THREADS, 't', "threads", NULL, "count stacks of different threads apart"},    \
        WALL_WORDS_ROWS(AGENT_WORDS_WALL_THREADS, AGENT_WORDS_WALL_STATES,                         \
                        AGENT_WORDS_WALL_DAEMON),                                                  \
        {AGENT_WORDS_OTHER, 'O', "agent-option", "NAME=VALUE",                                     \
         "pass this to the agent; may be repeated"},                                               \
        {AGENT_WORDS_LIBRARY, 0, "agent", "PATH",                                                  \
         "an agent library in place of the command's own"},                                        \
    {                                                                                              \
        ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP                              \
    }

/** Those of them that a project's file may have. */
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
    const char *library; /* NULL: beside the command */
    bool has_event, has_depth;
    const struct series *drawn; /* the first named that a picture can be of; NULL: none is named */
};

/** As asking_take(), for these options too. Owner: inject_done(&w->items). */
int agent_words_take(struct agent_words *w, const struct opts *opts, int id);
/** After the last option: what is measured, and how deep, if nothing was said. */
void agent_words_end(struct agent_words *w);
/**
 * Whether an agent of ours would take it all, with `more` behind it; before the JVM is touched. Of
 * another library than ours nothing is known. Errors: 0; CMD_USAGE after saying why.
 */
int agent_words_check(const struct agent_words *w, const char *more);
