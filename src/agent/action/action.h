/*
 * action.h - what the agent does when a trigger fires: write the heap, print the stacks, start a
 * program.
 *
 * Each row of options/options_action.def has a file action_WORD.c, which exports one `const struct
 * action`. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "options/options_on.h"

struct agent;

struct action_call {
    struct agent *agent;
    JNIEnv *env;
    uint32_t recording;      /* the number of the recording */
    const char *line, *name; /* the options and the name of the recording that is to begin */
    const char *with;        /* the value in the option string; for launch= the command line */
    bool is_dying;           /* the VM is about to die, and all recordings end in a moment */
    bool is_tight;           /* memory is short: trigger.is_tight */
    bool is_instead;         /* another action has failed for lack of memory */
};

struct action {
    /** The thread on which the trigger fires stands still until the heap is frozen
     * (agent/frozen/standing.h). */
    bool holds;
    /** Take in advance the memory that the action needs, because it may run when no memory is left.
     * May be NULL. Context: java, the agent's lock held. */
    void (*prepare)(JNIEnv *env);
    /** Give back the memory that prepare() took. No trigger has this action any more. May be NULL.
     * Context: java, no lock. */
    void (*release)(JNIEnv *env);
    /** Errors: 0, or negative after a message. Context: java, on a thread of the agent, no lock. */
    int (*run)(const struct action_call *c);
};

/**
 * Make a recording that consists of one dump, into the file hprof-NAME-PID-TIME.SUFFIX, and end it.
 * `options` say what is dumped. While the VM dies, the VM's end writes the dump. Errors: 0;
 * negative after a message. A dump that is not whole is a message alone (log_errors()). Context:
 * the thread of triggers.
 */
int action_heap_write(const struct action_call *c, const char *name, const char *suffix,
                      const char *options);
/** The words that ask for an engine with the mark `with` and without the mark `without`; "": the
 * agent has no such engine. */
const char *action_heap_word(unsigned with, unsigned without);
/** The table of one action. */
const struct action *action_of(enum options_action action);
/** Reap the programs that have ended. Returns whether some still run. Context: the thread of
 * triggers. */
bool action_launch_reap(void);
