/*
 * profile.h - the profile model that the agent and the command share.
 *
 * Everything is interned: strings, classes, methods, frames, traces and threads are rows of tables
 * and refer to each other by id (1..n; 0 = none). The tables live in one arena with a budget; when
 * it is used up an add returns 0 and profile_lost() says so. What was measured are sums of events
 * (event.h, sums.h), which refer to those rows.
 * Knows nothing about JVMs, files or formats. Not thread-safe: the owner holds a lock.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/event.h"
#include "profile/ids.h"
#include "profile/tally.h"

enum { PROFILE_LINE_NONE = -1 }; /* no line known: no table, native method, or not wanted */

struct profile_string {
    const char *bytes; /* NUL-terminated, modified UTF-8 as the VM gave it */
    uint32_t len;      /* without the NUL */
};

struct profile_class {
    string_id name;  /* as Java source writes it: java.lang.String, char[][] */
    uint32_t serial; /* as printed in files; unique */
    bool is_by_name; /* met by its name alone: the class itself, if there is one, may still come */
};

struct profile_method {
    class_id klass;
    string_id name, descriptor; /* descriptor 0 where a text file does not say */
    string_id source;           /* 0: unknown */
};

/** What a frame is of, and how the code ran, where that is known. */
enum frame_kind {
    FRAME_JAVA, /* a Java method; interpreted, compiled or inlined */
    FRAME_INTERPRETED,
    FRAME_C1,
    FRAME_C2,
    FRAME_INLINED,
    FRAME_NATIVE, /* a function of C or C++; the class is its library, 0 unknown */
    FRAME_KERNEL, /* a function of the kernel, whose name ends in _[k] */
    FRAME_KINDS,
    FRAME_JAVA_KINDS = FRAME_NATIVE, /* those of Java come first */
};

struct profile_frame {
    method_id method;
    int32_t bci;  /* bytecode index, or -1 */
    int32_t line; /* source line, or PROFILE_LINE_NONE */
    uint8_t kind; /* enum frame_kind */
};

struct profile_trace {
    uint32_t serial;        /* as printed in files; unique */
    thread_id thread;       /* 0 unless traces are kept per thread */
    uint32_t depth;         /* how many frames */
    const frame_id *frames; /* innermost first */
};

struct profile_thread {
    uint32_t serial;                     /* as printed in files; unique, never reused */
    uint32_t object;                     /* the thread object's id in files */
    string_id name, group, parent_group; /* 0: unknown */
    uint32_t os_id;                      /* as the kernel numbers it; 0 unknown */
    uint64_t java_id;                    /* as Java numbers it; 0 unknown */
    process_id process;                  /* 0: nobody has asked for processes */
    bool ended;
};

/* Where the serial numbers of files begin. Source: the original HPROF agent. */
enum {
    PROFILE_CLASS_SERIAL = 100000,
    PROFILE_THREAD_UNKNOWN = 200000, /* reserved; the first real thread, main, is 200001 */
    PROFILE_TRACE_SYSTEM = 300000,   /* reserved: the empty trace, everything of unknown origin */
};

enum { PROFILE_TRACE_EMPTY = 1 }; /* the id of that trace */

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
 * Opens a model of at most `budget` bytes that holds one row: trace 1, the empty system trace with
 * serial 300000. Errors: NULL when there is no memory.
 */
struct profile *profile_new(size_t budget);
void profile_free(struct profile *p);

string_id profile_string(struct profile *p, const char *bytes, size_t len);
string_id profile_cstring(struct profile *p, const char *text);
/** A new class row each time: two classes of one name are two classes. One whose name is 0, because
 * its file does not tell it or the model has no room for it, is called "unknown". */
class_id profile_add_class(struct profile *p, string_id name, uint32_t serial);
/** The class row of this name, the first one added, or a new one with the next serial; 0 as above.
 */
class_id profile_class_named(struct profile *p, string_id name);
/** Interned by all four values. */
method_id profile_method(struct profile *p, class_id klass, string_id name, string_id descriptor,
                         string_id source);
/** Interned by (method, bci, line, kind); profile_frame() is of the kind FRAME_JAVA. */
frame_id profile_frame_of(struct profile *p, enum frame_kind kind, method_id method, int32_t bci,
                          int32_t line);
frame_id profile_frame(struct profile *p, method_id method, int32_t bci, int32_t line);
/** Interned by (thread, frames). A new trace takes the next serial. */
trace_id profile_trace(struct profile *p, thread_id thread, const frame_id *frames, uint32_t depth);
/** As profile_trace(), but makes none: 0 where the trace is not there yet. */
trace_id profile_find_trace(const struct profile *p, thread_id thread, const frame_id *frames,
                            uint32_t depth);
/** A new trace row with the serial a file gave it, not interned: for readers. */
trace_id profile_add_trace(struct profile *p, uint32_t serial, thread_id thread,
                           const frame_id *frames, uint32_t depth);
trace_id profile_trace_by_serial(const struct profile *p, uint32_t serial);
thread_id profile_add_thread(struct profile *p, uint32_t serial, uint32_t object, string_id name,
                             string_id group, string_id parent_group);
thread_id profile_thread_by_serial(const struct profile *p, uint32_t serial);
/** The thread that this process has by this number, 0 standing for all that have no row; a new one
 * if there is none. */
thread_id profile_thread_in(struct profile *p, process_id process, uint32_t serial, string_id name);
/** Whether the thread stands for those of its process that have no row. */
bool profile_thread_is_rest(const struct profile *p, thread_id thread);
/** The processes: process_set.h. */
struct process_set *profile_processes(struct profile *p);
/** That of a thread, 0 being unknown; of a profile of one process always that. 0: unknown. */
process_id profile_process_of(struct profile *p, thread_id thread);
void profile_end_thread(struct profile *p, thread_id thread);

/**
 * Adds an event to the sums of its kind. A site, and a row of a histogram, that has no class gets
 * one called "unknown". Errors: 0; E_LIMIT: the total would need more than 64 bits; -ENOMEM: no
 * room for the row, which profile_lost() counts. Then nothing has changed.
 */
int profile_count(struct profile *p, const struct event *event);
/** As profile_count(), and keeps the event's time (profile_moments()), where there is room. */
int profile_count_at(struct profile *p, const struct event *event);
/** How much memory and CPU time processes used, of such readers: levels.h. */
struct levels *profile_levels(struct profile *p);
/** Single events with the fields of their own types, of such readers: typed_events.h. */
struct typed_events *profile_typed(struct profile *p);
/** When events were, of readers that were asked for it: moments.h. */
struct moments *profile_moments(struct profile *p);
/** The sums of a kind; the caller may clear them, and say what tables left out. */
struct sums *profile_sums(struct profile *p, enum event_kind kind);
/** The model's own tally, where profile_count() counts. */
struct tally *profile_tally(struct profile *p);
/** Another tally for this model, of at most `budget` bytes. Errors: NULL without memory. Owner:
 * tally_free(). */
struct tally *profile_tally_new(struct profile *p, size_t budget);
/** As profile_count(), in the tally `t` of this model; the caller knows the class of objects. */
int profile_count_in(struct profile *p, struct tally *t, const struct event *event);
/** The sum of a trace alone, without class and text; NULL: none. */
const struct sum *profile_sum_of(const struct profile *p, enum event_kind kind, trace_id trace);

/**
 * Rows by id, up to the count; the pointer is valid until the model is freed. Of 0, which stands
 * for what was met when the model had no room for more, a row without a name; its text is empty.
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

/** Adds to, or sets, a named quality count; names are borrowed and must outlive the model. */
void profile_set_quality(struct profile *p, const char *name, uint64_t count);
/** The quality counts in the order of their first setting. */
const struct profile_quality *profile_quality(const struct profile *p, uint32_t *ret_count);
/** What was profiled: a main class, or the name of a jar; 0 unknown. */
void profile_set_program(struct profile *p, string_id name);
string_id profile_program(const struct profile *p);
/** What threads worked for: context.h. */
struct context_set *profile_contexts(struct profile *p);
/** What a reader found besides: found.h. */
struct found *profile_found(struct profile *p);
/** How many adds failed because the budget was used up. */
uint64_t profile_lost(const struct profile *p);
/** How much of the budget has been taken. */
uint64_t profile_bytes(const struct profile *p);
/** 1 when less than a quarter of the budget is left: who can do with less should begin to. */
bool profile_is_crowded(const struct profile *p);
