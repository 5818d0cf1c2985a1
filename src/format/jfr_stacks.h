/*
 * jfr_stacks.h - stacks, methods and classes of a chunk of a JFR file as rows of the model.
 *
 * Each constant is looked at once; a stack that comes again is a look-up.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "format/idmap.h"
#include "format/jfr_frame.h"
#include "profile/frame_list.h"
#include "profile/ids.h"

struct jfr_chunk;
struct jfr_value;
struct profile;

enum { JFR_STACKS_KEPT = 4096 };

/** A frame that came before: stacks have most of theirs in common with others. */
struct jfr_stacks_kept {
    uint64_t bytes[2]; /* as the file has the frame, and zeros behind them */
    uint32_t len;
    frame_id id; /* 0: free */
};

struct jfr_stacks {
    struct profile *profile;
    const struct jfr_chunk *chunk; /* borrowed; NULL: none */
    struct idmap traces, methods, classes, threads;
    struct idmap traces_by_thread; /* by the trace without a thread, and the thread */
    struct jfr_frame_reader reader;
    struct jfr_stacks_kept *kept; /* JFR_STACKS_KEPT, by their hash; NULL: no memory */
    struct frame_list stack;      /* the present one */
    process_id process;           /* whose threads these are; 0: nobody asks */
    uint64_t truncated; /* stacks that the recording cut, as often as they were asked for */
    int error;          /* 0 or -ENOMEM */
};

/** Begins a chunk; keys of the one before mean nothing any more. */
void jfr_stacks_begin(struct jfr_stacks *s, struct profile *profile, const struct jfr_chunk *chunk);
void jfr_stacks_done(struct jfr_stacks *s);
/** The trace of a value of the type jdk.types.StackTrace; null: the empty trace. 0: no memory. */
trace_id jfr_stacks_trace(struct jfr_stacks *s, const struct jfr_value *stack);
/**
 * The same stack of a thread, a value of the type java.lang.Thread. Threads without a name or a
 * number of the system's, as most virtual ones, and NULL, no thread at all, are together: the stack
 * as it is, or that of the rest of the process. 0: no memory.
 */
trace_id jfr_stacks_of_thread(struct jfr_stacks *s, trace_id id, const struct jfr_value *thread);
/** The class of a value of the type java.lang.Class; null: 0. */
class_id jfr_stacks_class(struct jfr_stacks *s, const struct jfr_value *klass);
/** A text of the model; null: 0. */
string_id jfr_stacks_text(struct jfr_stacks *s, const struct jfr_value *text);
