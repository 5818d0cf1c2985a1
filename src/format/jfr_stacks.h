/*
 * jfr_stacks.h - makes rows of the model from the stacks, methods and classes of a chunk of a JFR
 * file.
 *
 * Each constant is read once. If a stack comes again, it is only looked up.
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

/** A frame that was read before. Stacks have most frames in common with other stacks. */
struct jfr_stacks_kept {
    uint64_t bytes[2]; /* the frame as the file has it, then zeros */
    uint32_t len;
    frame_id id; /* 0: free */
};

struct jfr_stacks {
    struct profile *profile;
    const struct jfr_chunk *chunk; /* borrowed; NULL: none */
    struct idmap traces, methods, classes, threads;
    /* The key is a trace without a thread, and the thread. */
    struct idmap traces_by_thread;
    struct jfr_frame_reader reader;
    /* JFR_STACKS_KEPT frames, by their hash; NULL: no memory. */
    struct jfr_stacks_kept *kept;
    struct frame_list stack; /* the stack that is being read */
    /* The process to which the threads belong; 0: threads are not kept apart by process. */
    process_id process;
    /* How many stacks that the recording had cut were read. A stack that comes again in a chunk
     * counts once. */
    uint64_t truncated;
    int error; /* 0 or -ENOMEM */
};

/** Begins a chunk. Keys of the chunk before have no meaning in it. */
void jfr_stacks_begin(struct jfr_stacks *s, struct profile *profile, const struct jfr_chunk *chunk);
void jfr_stacks_done(struct jfr_stacks *s);
/** The trace of a value of the type jdk.types.StackTrace; for null the empty trace. 0: no
 * memory. */
trace_id jfr_stacks_trace(struct jfr_stacks *s, const struct jfr_value *stack);
/**
 * The trace `id` with a thread, which is a value of the type java.lang.Thread. Some threads are not
 * told apart: those without a name or a number of the operating system, like most virtual threads,
 * and NULL, which means no thread. For these the result is `id` itself; if `process` is set, it is
 * the stack with the thread that stands for the rest of the process. 0: no memory.
 */
trace_id jfr_stacks_of_thread(struct jfr_stacks *s, trace_id id, const struct jfr_value *thread);
/** The class of a value of the type java.lang.Class; for null 0. */
class_id jfr_stacks_class(struct jfr_stacks *s, const struct jfr_value *klass);
/** The trace with a value of the type jdk.types.Method as its only frame; for null the empty trace.
 * 0: no memory. */
trace_id jfr_stacks_of_method(struct jfr_stacks *s, const struct jfr_value *method);
/** "class.method" of a value of the type jdk.types.Method; for null 0. */
string_id jfr_stacks_method(struct jfr_stacks *s, const struct jfr_value *method);
/** A text of the file as a string of the model; for null 0. */
string_id jfr_stacks_text(struct jfr_stacks *s, const struct jfr_value *text);
