/*
 * hprof_file.h - what an HPROF file says in addition to events: the serial numbers of its classes
 * and traces, its last dump of threads and monitors, its heap dumps, which of its times are
 * rounded.
 *
 * The readers of HPROF files make it and attach it to the profile (profile_attach()), in whose
 * arena it lies. Code that shows or writes HPROF's own facts asks for it with hprof_file_of(). A
 * profile of several files has none. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "format/hprof_serial.h"
#include "profile/frame_kind.h"
#include "profile/ids.h"
#include "profile/lookup.h"
#include "profile/table.h"

struct profile;
struct sieve;

/** A thread in the last MONITOR DUMP. */
struct hprof_file_thread {
    thread_id thread; /* 0: unknown */
    trace_id trace;
    string_id status;
};

/** A monitor in the last MONITOR DUMP. */
struct hprof_file_monitor {
    /* signature of a class, or for a raw monitor its name in quotes and its address */
    string_id signature;
    thread_id owner; /* 0: no owner, or the file does not know the thread */
    uint32_t entry_count;
    bool is_raw, has_unknown_owner;
};

/** A thread that waits for a monitor of the last MONITOR DUMP. */
struct hprof_file_waiter {
    uint32_t monitor; /* row in hprof_file.monitors */
    thread_id thread;
    bool is_entering; /* false: the thread waits to be notified */
};

struct hprof_file {
    struct hprof_serial serials; /* the first member: see hprof_serial.h */
    struct lookup_key key;
    struct profile *profile; /* it is attached to this one */
    uint32_t monitor_dumps, heap_dumps;
    struct table threads, monitors, waits; /* of the last MONITOR DUMP */
    uint64_t heap_objects, heap_bytes;     /* of the last heap dump, if the file says so */
    /* Bit N: some of value[0] of kind N were computed from percentages with few digits. */
    uint32_t rounded_kinds;
};

/** The file from which the profile was read. Never NULL: a profile that was not read from one HPROF
 * file has an empty one. Context: any. */
const struct hprof_file *hprof_file_of(const struct profile *p);

/*
 * The functions below are for readers. An add that finds no room is counted by profile_lose().
 */

/**
 * Make it for a profile that a reader is about to fill. `sieve` is the sieve of the reading, or
 * NULL; its folded trace gets a number that the file does not use. NULL: no room. Owner: the
 * profile.
 */
struct hprof_file *hprof_file_attach(struct profile *p, const struct sieve *sieve);
/** Add a class with this number to the model. 0: no room. */
class_id hprof_file_add_class(struct hprof_file *f, uint32_t serial, string_id name);
/** Add a trace with this number to the model. It is not interned. 0: no room. */
trace_id hprof_file_add_trace(struct hprof_file *f, uint32_t serial, thread_id thread,
                              const frame_id *frames, uint32_t depth);
/** The first trace with this number; 0: none. */
trace_id hprof_file_trace(struct hprof_file *f, uint32_t serial);
/** Whether the sieve lets the trace with this number pass. The empty trace always passes. */
bool hprof_file_passes(struct sieve *sieve, uint32_t serial);
/** Begin a MONITOR DUMP: forget the dump before, and count this one. */
void hprof_file_begin_dump(struct hprof_file *f);
void hprof_file_add_thread(struct hprof_file *f, const struct hprof_file_thread *row);
/** Add a monitor. hprof_file_add_waiter() adds to this monitor from now on. */
void hprof_file_add_monitor(struct hprof_file *f, const struct hprof_file_monitor *row);
void hprof_file_add_waiter(struct hprof_file *f, thread_id thread, bool is_entering);

/**
 * The kind of a frame with this method. The HPROF formats know only Java methods: hprof writes a
 * function of C or C++ as a method whose class and source file are both the library, and a function
 * of the kernel with _[k] behind its name. Layout: docs/format/hprof-text.md, "TRACE".
 */
enum frame_kind hprof_file_frame_kind(struct profile *p, method_id method);
