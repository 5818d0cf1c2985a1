/*
 * carry.h - stacks of one profile carried to another.
 *
 * What a row refers to comes along and is met once; serial numbers of traces are the other's.
 * Not thread-safe. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "profile/frame_list.h"
#include "profile/profile.h"

struct carry {
    struct profile *from, *to; /* borrowed */
    process_id process; /* whose threads are that are of none; 0: they stay so. Set by the caller */
    bool names_only;    /* Java frames become of one kind, without lines: stacks of two runs meet */
    frame_id *frames;   /* by frame; 0 not there yet */
    thread_id *threads; /* by thread */
    struct frame_list stack;
    uint32_t frame_count;
};

/** Errors: 0, -ENOMEM. Rows that `from` gets later can be carried, too. Owner: carry_done(). */
int carry_init(struct carry *c, struct profile *from, struct profile *to);
void carry_done(struct carry *c);
/** All return 0 where there is no room. */
trace_id carry_trace(struct carry *c, trace_id id);
string_id carry_string(struct carry *c, string_id id);
class_id carry_class(struct carry *c, class_id id);
process_id carry_process(struct carry *c, process_id id);
/** What threads worked for; 0 also where there is no room. */
context_id carry_context(struct carry *c, context_id id);
