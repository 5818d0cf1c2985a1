/*
 * action.h - what is done when a trigger fires.
 *
 * A row of options/options_action.def is the file action_WORD.c, which exports one `const struct
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
    uint32_t recording;      /* its number */
    const char *line, *name; /* the options and the name of the recording that waits */
    const char *with;        /* what the option string gives it: of launch= the program */
    bool is_dying;           /* the VM is about to die: recordings end in a moment */
};

struct action {
    /** The thread that fires stands still until the heap is frozen (agent/standing.h). */
    bool holds;
    /** It may be wanted when no memory is left: take what it needs. May be NULL. Context: java, the
     * agent's lock held. */
    void (*prepare)(JNIEnv *env);
    /** Nobody waits for it any more. May be NULL. Context: java, no lock. */
    void (*release)(JNIEnv *env);
    /** Errors: 0, or negative after a message. Context: java, a thread of ours, no lock. */
    int (*run)(const struct action_call *c);
};

/** The row of that action. */
const struct action *action_of(enum options_action action);
