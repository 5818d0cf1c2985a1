/*
 * shown.h - chooses the stacks that a user wants to see, and writes them as people read them.
 *
 * Hidden frames are left out, C++ names are demangled, and struct shown_how says what else is done.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <regex.h>
#include <stdbool.h>
#include "profile/frame_list.h"
#include "profile/profile.h"

struct shown_how {
    /* Keep stacks with a matching frame; drop stacks with one; NULL: keep all. */
    const regex_t *include, *exclude;
    const char *include_text, *exclude_text; /* the texts of these patterns */
    const char *by;      /* put the value of this key below each stack; NULL: nothing */
    bool with_hidden;    /* also show frames of method handles, lambdas and reflection */
    bool no_threads;     /* join the stacks of all threads */
    bool with_processes; /* but keep the processes apart */
    bool with_lines;     /* write line numbers after the names of methods */
    bool is_simple;      /* classes without their packages */
    bool is_normal;      /* classes that the VM makes, without the VM's numbers */
};

/** The state: for each frame of the profile, the frame that is shown for it. */
struct shown {
    struct profile *profile; /* borrowed; new frames are added to it */
    struct shown_how how;
    frame_id *frames;
    unsigned char *matches; /* by frame: whether the patterns were compared, and the results */
    struct frame_list stack;
    int key; /* number of the key `how.by`, from keys_find() */
};

/** Errors: 0, -ENOMEM. Traces that are added later cannot be shown. Owner: shown_done(). */
int shown_init(struct shown *s, struct profile *profile, const struct shown_how *how);
void shown_done(struct shown *s);
/** Whether the stack passes the patterns. */
bool shown_wants(struct shown *s, trace_id trace);
/**
 * Makes the trace that is shown for a trace. If all frames are hidden, the outermost is shown.
 * Returns 1; 0: the stack is not wanted, and *ret_trace is not set; -ENOMEM.
 */
int shown_trace(struct shown *s, trace_id id, context_id context, trace_id *ret_trace);
