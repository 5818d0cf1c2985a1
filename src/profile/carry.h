/*
 * carry.h - copies stacks from one profile to another.
 *
 * Rows to which a stack refers (frames, methods, classes, threads) are copied with it, each only
 * once. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "profile/frame_list.h"
#include "profile/profile.h"

struct carry {
    struct profile *from, *to; /* borrowed */
    /* set by the caller: the process that gets threads without a process; 0: they stay without
     * one */
    process_id process;
    /* all Java frames get one kind and no line, so that equal stacks of two runs become one */
    bool names_only;
    frame_id *frames;   /* new id by old frame id; 0: not copied yet */
    thread_id *threads; /* new id by old thread id */
    struct frame_list stack;
    uint32_t frame_count;
};

/** Prepare to copy. Rows that `from` gets later can be copied too. Errors: 0, -ENOMEM. Owner:
 * carry_done(). */
int carry_init(struct carry *c, struct profile *from, struct profile *to);
void carry_done(struct carry *c);
/** Each of these functions returns the new id; 0: there is no room. */
trace_id carry_trace(struct carry *c, trace_id id);
string_id carry_string(struct carry *c, string_id id);
class_id carry_class(struct carry *c, class_id id);
process_id carry_process(struct carry *c, process_id id);
/**
 * Copies a context (context.h). Returns the new id; 0: there is no room, or the context is empty.
 */
context_id carry_context(struct carry *c, context_id id);
