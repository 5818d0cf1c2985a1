/*
 * profile.h - the profile model, which the agent and the command share.
 *
 * Everything is interned: strings, classes, methods, frames, traces and threads are rows of tables
 * and refer to each other by id (1 to n; 0 is none). The tables lie in one arena with a budget.
 * When the budget is used up an add returns 0 and profile_lost() counts it. Measurements are sums
 * of events (event.h, sums.h), which refer to these rows.
 * Knows nothing about JVMs, files or formats. Not thread-safe: the owner holds a lock.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/event.h"
#include "profile/frame_kind.h"
#include "profile/ids.h"
#include "profile/tally.h"

/* the line is not known: no line table, a native method, or lines were not wanted */
enum { PROFILE_LINE_NONE = -1 };

struct profile_string {
    const char *bytes; /* NUL-terminated; modified UTF-8 as the VM gave it */
    uint32_t len;      /* without the NUL */
};

struct profile_class {
    string_id name; /* as in Java source: java.lang.String, char[][] */
    /* only the name was met; a row for the class itself may still be added */
    bool is_by_name;
};

struct profile_method {
    class_id klass;
    string_id name, descriptor; /* descriptor 0: a text file does not tell it */
    string_id source;           /* 0: unknown */
};

struct profile_frame {
    method_id method;
    int32_t bci;  /* bytecode index, or -1 */
    int32_t line; /* source line, or PROFILE_LINE_NONE */
    uint8_t kind; /* enum frame_kind */
};

struct profile_trace {
    thread_id thread;       /* 0 unless traces are kept per thread */
    uint32_t depth;         /* how many frames */
    const frame_id *frames; /* innermost first */
};

struct profile_thread {
    /* The number by which the JVM, the agent or the file calls the thread: unique in its process,
     * never reused. */
    uint32_t serial;
    uint32_t object;                     /* the id of the thread's Java object; 0: unknown */
    string_id name, group, parent_group; /* 0: unknown */
    uint32_t os_id;                      /* the kernel's number; 0: unknown */
    uint64_t java_id;                    /* Java's number; 0: unknown */
    process_id process;                  /* 0: the profile does not tell processes apart */
    bool ended;
};

/* The id of the empty trace, to which everything of unknown origin belongs. */
enum { PROFILE_TRACE_EMPTY = 1 };

struct arena;
struct profile;
struct context_set;
struct found;
struct levels;
struct moments;
struct process_set;
struct sum;
struct sums;
struct typed_events;

/**
 * Create a model of at most `budget` bytes. It has one row: trace 1, the empty trace. Errors: NULL:
 * there is no memory.
 */
struct profile *profile_new(size_t budget);
void profile_free(struct profile *p);

string_id profile_string(struct profile *p, const char *bytes, size_t len);
string_id profile_cstring(struct profile *p, const char *text);
/**
 * Add a class row. Each call adds a new row, because two classes may have the same name. A class
 * whose name is 0 gets the name "unknown": its file does not tell the name, or the model had no
 * room for it.
 */
class_id profile_add_class(struct profile *p, string_id name);
/** The first class row with this name; adds one if there is none. Name 0: "unknown". */
class_id profile_class_named(struct profile *p, string_id name);
/** The method with these four values; added if it is new. */
method_id profile_method(struct profile *p, class_id klass, string_id name, string_id descriptor,
                         string_id source);
/** The frame with this method, bci, line and kind; added if it is new. profile_frame() is for the
 * kind FRAME_JAVA. */
frame_id profile_frame_of(struct profile *p, enum frame_kind kind, method_id method, int32_t bci,
                          int32_t line);
frame_id profile_frame(struct profile *p, method_id method, int32_t bci, int32_t line);
/** The trace with this thread and these frames; added if it is new. */
trace_id profile_trace(struct profile *p, thread_id thread, const frame_id *frames, uint32_t depth);
/** Like profile_trace(), but adds nothing: 0 if there is no such trace. */
trace_id profile_find_trace(const struct profile *p, thread_id thread, const frame_id *frames,
                            uint32_t depth);
/** Add a trace row. It is not interned; for readers of files that name their traces. */
trace_id profile_add_trace(struct profile *p, thread_id thread, const frame_id *frames,
                           uint32_t depth);
thread_id profile_add_thread(struct profile *p, uint32_t serial, uint32_t object, string_id name,
                             string_id group, string_id parent_group);
thread_id profile_thread_by_serial(const struct profile *p, uint32_t serial);
/** The thread with this number in the process; added if it is new. Number 0 stands for all threads
 * of the process without a row. */
thread_id profile_thread_in(struct profile *p, process_id process, uint32_t serial, string_id name);
/** Whether the thread stands for the threads of its process that have no row. */
bool profile_thread_is_rest(const struct profile *p, thread_id thread);
/** The processes of the profile: process_set.h. */
struct process_set *profile_processes(struct profile *p);
/** The process of a thread; thread 0 is unknown. In a profile with one process it is always that
 * process. 0: unknown. */
process_id profile_process_of(struct profile *p, thread_id thread);
void profile_end_thread(struct profile *p, thread_id thread);

/**
 * Add an event to the sums of its kind. An allocation site, or a row of a histogram, that has no
 * class gets the class "unknown".
 *
 * Errors:  0; E_LIMIT: the total would need more than 64 bits; -ENOMEM: no room for the row, which
 *          profile_lost() counts. After an error nothing has changed.
 */
int profile_count(struct profile *p, const struct event *event);
/** Like profile_count(), and keeps the event's time (profile_moments()) if there is room. */
int profile_count_at(struct profile *p, const struct event *event);
/** How much memory and CPU time processes used (levels.h), from readers that keep times. */
struct levels *profile_levels(struct profile *p);
/** Single events with their own fields (typed_events.h), from readers that keep times. */
struct typed_events *profile_typed(struct profile *p);
/** When events happened (moments.h), from readers that keep times. */
struct moments *profile_moments(struct profile *p);
/** The sums of a kind. The caller may clear them, and may set what tables left out. */
struct sums *profile_sums(struct profile *p, enum kind_id kind);
/** The model's own tally, in which profile_count() counts. */
struct tally *profile_tally(struct profile *p);
/** Another tally for this model, of at most `budget` bytes. Errors: NULL: no memory. Owner:
 * tally_free(). */
struct tally *profile_tally_new(struct profile *p, size_t budget);
/**
 * Like profile_count(), in the tally `t` of this model. The caller must set the class of objects.
 */
int profile_count_in(struct profile *p, struct tally *t, const struct event *event);
/** The sum of a trace that has no class and no text; NULL: none. */
const struct sum *profile_sum_of(const struct profile *p, enum kind_id kind, trace_id trace);

/**
 * The row with this id, which is at most the count. The pointer is valid until the model is freed.
 * Id 0 stands for what was met when the model had no room; its row has no name, and its text is
 * empty.
 */
const struct profile_string *profile_string_at(struct profile *p, string_id id);
struct profile_class *profile_class_at(struct profile *p, class_id id);
struct profile_method *profile_method_at(struct profile *p, method_id id);
struct profile_frame *profile_frame_at(struct profile *p, frame_id id);
struct profile_trace *profile_trace_at(struct profile *p, trace_id id);
struct profile_thread *profile_thread_at(struct profile *p, thread_id id);
uint32_t profile_string_count(const struct profile *p);
uint32_t profile_frame_count(const struct profile *p);
uint32_t profile_method_count(const struct profile *p);
uint32_t profile_class_count(const struct profile *p);
uint32_t profile_trace_count(const struct profile *p);
uint32_t profile_thread_count(const struct profile *p);

/** Set the quality count with this name; added if it is new. Names are borrowed and must outlive
 * the model. */
void profile_set_quality(struct profile *p, const char *name, uint64_t count);
/** The quality counts, in the order in which they were first set. */
const struct profile_quality *profile_quality(const struct profile *p, uint32_t *ret_count);
/** The name of the profiled program: a main class, or the name of a jar; 0: unknown. */
void profile_set_program(struct profile *p, string_id name);
string_id profile_program(const struct profile *p);
/** The contexts, which say what threads worked for: context.h. */
struct context_set *profile_contexts(struct profile *p);
/** Facts that a reader found in addition to events: found.h. */
struct found *profile_found(struct profile *p);
/**
 * Attach what only code that knows one format can read: the reader of the file makes it in
 * profile_arena() and gives it the name of the format (borrowed). A profile has one attachment at
 * most. It is freed with the profile, and no function copies it to another profile.
 */
void profile_attach(struct profile *p, const char *format, void *attachment);
/** The attachment with this name of a format; NULL: the profile has none. */
void *profile_attachment(const struct profile *p, const char *format);
/** The memory of the model, for its attachment. */
struct arena *profile_arena(struct profile *p);
/** Count an add to the attachment that found no room. */
void profile_lose(struct profile *p);
/** How many adds failed because the budget was used up. */
uint64_t profile_lost(const struct profile *p);
/** How many bytes of the budget have been taken. */
uint64_t profile_bytes(const struct profile *p);
/**
 * Whether less than a quarter of the budget is left; callers that can save memory should begin to.
 */
bool profile_is_crowded(const struct profile *p);
