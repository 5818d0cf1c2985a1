/*
 * shown.h - stacks as people read them, and those they want to read.
 *
 * Without hidden frames, C++ names demangled, and what struct shown_how asks for besides.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <regex.h>
#include <stdbool.h>
#include "profile/frame_list.h"
#include "profile/profile.h"

struct shown_how {
    const regex_t *include, *exclude; /* stacks with a frame, without any that matches; NULL: all */
    const char *include_text, *exclude_text; /* what these were made of */
    const char *by;      /* below each stack the value of this key; NULL: nothing */
    bool with_hidden;    /* frames of method handles, lambdas and reflection, too */
    bool no_threads;     /* the stacks of all threads together */
    bool with_processes; /* but those of each process apart */
    bool with_lines;     /* behind the names of methods */
    bool is_simple;      /* classes without packages */
    bool is_normal;      /* classes that the VM makes without the numbers that it gives them */
};

/** Frames as they are shown, by the frames of the profile. */
struct shown {
    struct profile *profile; /* borrowed; gets the frames that are made here */
    struct shown_how how;
    frame_id *frames;
    unsigned char *matches; /* by frame: whether it was asked, and what for */
    struct frame_list stack;
    int key; /* that stands below, as keys_find() numbers it */
};

/** Errors: 0, -ENOMEM. Only traces that there are now can be shown. Owner: shown_done(). */
int shown_init(struct shown *s, struct profile *profile, const struct shown_how *how);
void shown_done(struct shown *s);
/** Whether the stack is one of those that people want to read. */
bool shown_wants(struct shown *s, trace_id trace);
/**
 * Of nothing but hidden frames the outermost is shown. Errors: 1; 0, nobody wants it: *ret_trace is
 * not set; -ENOMEM.
 */
int shown_trace(struct shown *s, trace_id id, context_id context, trace_id *ret_trace);
