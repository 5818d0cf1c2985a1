/*
 * outlet.h - where the events of a recording go beside its HPROF file: rows that take them as they
 * come, in a form of their own.
 *
 * Each is one file outlet_NAME.c that exports one `const struct outlet`; the list in
 * src/meson.build is the registry. A recording asks each row whether its options want it; those
 * that are wanted hear of every event that is counted for the recording (recording_count()), and of
 * the sums that its dumps write (recording_table()). Events come in the order in which they were
 * taken in, which for those of several threads is nearly that of their times.
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
    bool has_kinds; /* frames shall say how their code ran (enum frame_kind) */
    /** Context: any. */
    bool (*is_wanted)(const struct options *o);
    /**
     * Before anything is measured: files, memory. Errors: 0; negative after a message, then the
     * recording does not begin. Owner: *ret_self is given back by end(). Context: any.
     */
    int (*create)(struct recording *r, void **ret_self);
    /** The VM lives, and the recording begins. May be NULL. Needs the agent's lock. */
    void (*begin)(void *self, struct agent *a, struct recording *r);
    /** One event, at its time (event.time_ns), on its thread. May be NULL. Needs the lock. */
    void (*event)(void *self, const struct event *e);
    /** So many samples of a thread, 0 being one that has ended or is not Java's, that nobody has a
     * stack of: there was no room. May be NULL. Needs the lock. */
    void (*lost)(void *self, thread_id thread, uint64_t samples);
    /** Rows of one kind that a dump has written: sums since the recording's last dump, or of one
     * moment. May be NULL. Needs the lock. */
    void (*table)(void *self, const struct event *rows, uint32_t count);
    /** How long calls of methods took, each since the methods are timed; a dump says so. NULL:
     * nobody need ask for that. Needs the lock. */
    void (*timings)(void *self, const struct event_timing *rows, uint32_t count);
    /** A dump has been written. May be NULL. Needs the lock. */
    void (*flush)(void *self);
    /** No event follows, or the recording has not begun: close, and give `self` back. Needs the
     * lock. */
    void (*end)(void *self);
};

extern const struct outlet *const outlet_all[];
