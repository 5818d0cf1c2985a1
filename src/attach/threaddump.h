/*
 * threaddump.h - a thread dump as the JVM prints it, taken apart: threads, states, frames, locks.
 *
 * Everything found is a piece of the text, which must outlive it. A thread of the VM itself has a
 * head and nothing else. Source: HotSpot thread.cpp (print_on), vframe.cpp (print_lock_info_on),
 * threadService.cpp (DeadlockCycle::print_on_with). Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct threaddump_text {
    const char *at;
    size_t len;
};

enum threaddump_lock {
    THREADDUMP_NO_LOCK, /* the line is a frame */
    THREADDUMP_LOCKED,
    THREADDUMP_WAITING, /* for a monitor that another has, or a parked thread for its blocker */
    THREADDUMP_IN_WAIT, /* in Object.wait(): what it waits on is no lock that another has */
    THREADDUMP_OWNED,   /* a lock of java.util.concurrent that the thread has, of no frame */
    THREADDUMP_OTHER,   /* eliminated, what is not known */
};

/** A line below the head: a frame, or what is said about a lock. */
struct threaddump_line {
    struct threaddump_text text; /* without "at " or "- " */
    enum threaddump_lock lock;
    struct threaddump_text object, class_name; /* of a lock: its address and class; may be empty */
};

struct threaddump_thread {
    struct threaddump_text name, head; /* `head`: the rest of the first line */
    struct threaddump_text state;      /* java.lang.Thread.State; empty: a thread of the VM */
    int64_t id;                        /* Thread.threadId(), -1 unknown */
    uint32_t first, count;             /* its lines */
};

/* A thread of a deadlock, in the order in which they wait for each other. */
struct threaddump_dead {
    struct threaddump_text name;
    uint32_t deadlock; /* from 1 on */
};

struct threaddump {
    struct threaddump_thread *threads;
    uint32_t count, room;
    struct threaddump_line *lines;
    uint32_t line_count, line_room;
    uint32_t deadlocks; /* as the JVM counts them */
    struct threaddump_dead *dead;
    uint32_t dead_count, found; /* `found`: deadlocks whose threads are in `dead` */
};

/** Errors: 0, -ENOMEM. Owner: borrows `text`; threaddump_done(), also after an error. */
int threaddump_parse(struct threaddump *d, const char *text, size_t len);
void threaddump_done(struct threaddump *d);
bool threaddump_is_same(struct threaddump_text a, struct threaddump_text b);
