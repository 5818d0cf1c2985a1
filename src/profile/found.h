/*
 * found.h - what a reader found in a file besides events.
 *
 * The file's last dump of threads and monitors, how many dumps of these and of the heap it has, and
 * the time that it is of.
 * A part of the model (profile_found()), in its arena; for readers and the command.
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
    string_id signature; /* a class's, or the name of a raw monitor in quotes and its address */
    thread_id owner;     /* 0: nobody, or a thread that the file does not know */
    uint32_t entry_count;
    bool is_raw, has_unknown_owner;
};

/** A thread that waits for a monitor of the last MONITOR DUMP. */
struct found_waiter {
    uint32_t monitor; /* row of `monitors` */
    thread_id thread;
    bool is_entering; /* else the thread waits to be notified */
};

enum { FOUND_DRAWABLE = 4 };

struct found {
    struct arena *arena; /* the model's */
    uint64_t lost;       /* rows that found no room */
    uint32_t monitor_dumps, heap_dumps;
    struct table threads, monitors, waits; /* of the last MONITOR DUMP */
    uint64_t heap_objects, heap_bytes;     /* of the last heap dump, where it says so */
    string_id arguments, processor;        /* of the program; of the machine: 0 unknown */
    uint32_t processors, cores;            /* 0: unknown */
    string_id program, vm,
        system;   /* the main class; "OpenJDK 64-Bit Server VM 21.0.4+7"; "Linux" */
    uint32_t pid; /* 0: unknown */
    /* Types of events that have stacks and are in no sum, in the file's order; 0: no more. */
    string_id drawable[FOUND_DRAWABLE];
    uint64_t from_ns, to_ns; /* what was recorded, since the epoch; 0: no file said it */
};

void found_init(struct found *f, struct arena *arena);
/** A part of the time; 0, 0: it is unknown. */
void found_add_time(struct found *f, uint64_t from_ns, uint64_t to_ns);
/** A type of `drawable`, which may be there already; what has no room is left out. */
void found_add_drawable(struct found *f, string_id type);
/** Forgets an earlier dump. */
void found_begin_dump(struct found *f);
void found_add_thread(struct found *f, const struct found_thread *row);
/** The monitor that found_add_waiter() speaks of from now on. */
void found_add_monitor(struct found *f, const struct found_monitor *row);
void found_add_waiter(struct found *f, thread_id thread, bool is_entering);
