/*
 * found.h - what a reader found in a file in addition to events.
 *
 * This is the last dump of threads and monitors, the number of dumps of monitors and of the heap,
 * facts about the process and the machine, and the time that the file covers. It is a part of the
 * model (profile_found()) and lies in its arena; readers fill it and the command shows it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"
#include "profile/table.h"

struct arena;

/** A thread in the last MONITOR DUMP. */
struct found_thread {
    thread_id thread; /* 0: unknown */
    trace_id trace;
    string_id status;
};

/** A monitor in the last MONITOR DUMP. */
struct found_monitor {
    /* signature of a class, or for a raw monitor its name in quotes and its address */
    string_id signature;
    thread_id owner; /* 0: no owner, or the file does not know the thread */
    uint32_t entry_count;
    bool is_raw, has_unknown_owner;
};

/** A thread that waits for a monitor of the last MONITOR DUMP. */
struct found_waiter {
    uint32_t monitor; /* row in found.monitors */
    thread_id thread;
    bool is_entering; /* false: the thread waits to be notified */
};

enum { FOUND_DRAWABLE = 4 };

struct found {
    struct arena *arena; /* the model's */
    uint64_t lost;       /* rows that found no room */
    uint32_t monitor_dumps, heap_dumps;
    struct table threads, monitors, waits; /* of the last MONITOR DUMP */
    uint64_t heap_objects, heap_bytes;     /* of the last heap dump, if the file says so */
    string_id arguments, processor;        /* of the program; of the machine; 0: unknown */
    uint32_t processors, cores;            /* 0: unknown */
    string_id program, vm,
        system;   /* the main class; "OpenJDK 64-Bit Server VM 21.0.4+7"; "Linux" */
    uint32_t pid; /* 0: unknown */
    /* Types of events that have stacks but are in no sum, in the order of the file; 0: no more. */
    string_id drawable[FOUND_DRAWABLE];
    uint64_t from_ns, to_ns; /* the recorded time, since the epoch; 0: unknown */
};

void found_init(struct found *f, struct arena *arena);
/** Add a part of the recorded time. 0, 0: unknown. */
void found_add_time(struct found *f, uint64_t from_ns, uint64_t to_ns);
/** Add a type to `drawable`, unless it is there already. Left out if there is no room. */
void found_add_drawable(struct found *f, string_id type);
/** Forget the dump before, because a new one begins. */
void found_begin_dump(struct found *f);
void found_add_thread(struct found *f, const struct found_thread *row);
/** Add a monitor. found_add_waiter() adds to this monitor from now on. */
void found_add_monitor(struct found *f, const struct found_monitor *row);
void found_add_waiter(struct found *f, thread_id thread, bool is_entering);
