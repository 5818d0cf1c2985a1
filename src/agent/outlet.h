/*
 * outlet.h - an outlet gets the events of a recording and writes them in a form of its own, beside
 * the HPROF file.
 *
 * Each outlet is one file outlet_NAME.c that exports one `const struct outlet`; the list in
 * src/meson.build is the registry. A recording asks each outlet whether its options want it. A
 * wanted outlet gets every event that is counted for the recording (recording_count()), and the
 * sums that dumps of the recording write (recording_table()). Events come in the order in which
 * they were taken from the threads; across threads this is nearly the order of their times.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/event.h"

struct agent;
struct options;
struct recording;

struct outlet {
    const char *name;
    bool has_kinds; /* frames must say how their code ran (enum frame_kind) */
    /** Context: any. */
    bool (*is_wanted)(const struct options *o);
    /**
     * Called before anything is measured, to make files and memory.
     * Errors: 0; negative after a message, then the recording does not begin.
     * Owner: end() frees *ret_self. Context: any.
     */
    int (*create)(struct recording *r, void **ret_self);
    /** The VM runs, and the recording begins. May be NULL. Needs the agent's lock. */
    void (*begin)(void *self, struct agent *a, struct recording *r);
    /** One event, with its time (event.time_ns) and its thread. May be NULL. Needs the lock. */
    void (*event)(void *self, const struct event *e);
    /**
     * So many samples of a thread were lost because there was no room for their stacks. `thread` is
     * 0 for a thread that has ended or is not a Java thread. May be NULL. Needs the lock.
     */
    void (*lost)(void *self, thread_id thread, uint64_t samples);
    /**
     * Rows of one kind that a dump has written: sums since the recording's last dump, or values of
     * one moment. May be NULL. Needs the lock.
     */
    void (*table)(void *self, const struct event *rows, uint32_t count);
    /**
     * How long calls of methods took, since each method is timed; called at a dump. NULL: the
     * outlet does not want timings. Needs the lock.
     */
    void (*timings)(void *self, const struct event_timing *rows, uint32_t count);
    /** A dump has been written. May be NULL. Needs the lock. */
    void (*flush)(void *self);
    /**
     * No event follows, or the recording has not begun: close the files and free `self`. Needs the
     * lock.
     */
    void (*end)(void *self);
};

extern const struct outlet *const outlet_all[];
