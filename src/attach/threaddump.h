/*
 * threaddump.h - parse a thread dump as the JVM prints it: threads, states, frames, locks.
 *
 * Every text that is found points into the dump's text, which must live longer. A thread of the VM
 * itself has only a head. Source: HotSpot thread.cpp (print_on), vframe.cpp (print_lock_info_on),
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
    /* for a monitor that another thread has; or a parked thread waits for its blocker */
    THREADDUMP_WAITING,
    THREADDUMP_IN_WAIT, /* in Object.wait(): the object is not a lock that another thread has */
    THREADDUMP_OWNED,   /* a lock of java.util.concurrent that the thread has, not of a frame */
    THREADDUMP_OTHER,   /* an eliminated lock, or a line that is not known */
};

/** A line below the head: a frame, or a statement about a lock. */
struct threaddump_line {
    struct threaddump_text text; /* without "at " or "- " */
    enum threaddump_lock lock;
    /* address and class of the lock's object; may be empty */
    struct threaddump_text object, class_name;
};

struct threaddump_thread {
    struct threaddump_text name, head; /* `head` is the rest of the first line */
    struct threaddump_text state;      /* java.lang.Thread.State; empty: a thread of the VM */
    int64_t id;                        /* Thread.threadId(); -1: unknown */
    uint32_t first, count;             /* the thread's lines */
};

/* A thread of a deadlock. The threads are in the order in which they wait for each other. */
struct threaddump_dead {
    struct threaddump_text name;
    uint32_t deadlock; /* number of the deadlock, from 1 on */
};

struct threaddump {
    struct threaddump_thread *threads;
    uint32_t count, room;
    struct threaddump_line *lines;
    uint32_t line_count, line_room;
    uint32_t deadlocks; /* count of deadlocks that the JVM prints */
    struct threaddump_dead *dead;
    uint32_t dead_count, found; /* `found` is the count of deadlocks whose threads are in `dead` */
};

/** Parse a dump. Errors: 0, -ENOMEM. Owner: borrows `text`; threaddump_done(), also after an
 * error. */
int threaddump_parse(struct threaddump *d, const char *text, size_t len);
void threaddump_done(struct threaddump *d);
bool threaddump_is_same(struct threaddump_text a, struct threaddump_text b);
/** Like strcmp(). */
int threaddump_compare(struct threaddump_text a, struct threaddump_text b);
/** The state of a thread without its explanation in parentheses. */
struct threaddump_text threaddump_state(const struct threaddump_thread *t);
/** Like strcmp(), of the states and frames of thread `a` in the dump `d` and `b` in `e`. */
int threaddump_compare_stacks(const struct threaddump *d, const struct threaddump_thread *a,
                              const struct threaddump *e, const struct threaddump_thread *b);

/** A line about a lock, and the index of its thread in the dump. */
struct threaddump_lock_line {
    const struct threaddump_line *line;
    uint32_t thread;
};

/** All lines about locks: those of one lock are together, and there those of one thread. NULL: no
 * memory. Owner: the caller frees them. */
struct threaddump_lock_line *threaddump_lock_lines(const struct threaddump *d, uint32_t *ret_count);
/** The index after the lines about the lock of the line `first`. */
uint32_t threaddump_lock_end(const struct threaddump_lock_line *lines, uint32_t count,
                             uint32_t first);
