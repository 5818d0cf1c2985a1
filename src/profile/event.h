/*
 * event.h - what engines measure and formats hold: events, and the types of their values.
 *
 * An event is a kind, up to four values of the kind's types, and what they belong to: a trace, a
 * thread, a class, a text. A sum over time (a row of a table) is an event, too. The kinds are in
 * event.def, the types of values in value.def.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"

enum { EVENT_VALUES = 4 };

enum value_unit {
    VALUE_IS_COUNT,
    VALUE_IS_NS,
    VALUE_IS_BYTES,
    VALUE_IS_LEVEL, /* bytes at one moment: of a sum, the mean says more (event_count()) */
};

enum value {
    VALUE_NONE,
#define VALUE(name, unit, words) VALUE_##name,
#include "profile/value.def"
#undef VALUE
    VALUE_TYPES,
};

struct value_type {
    const char *words; /* "live bytes" */
    enum value_unit unit;
};

/** By enum value; VALUE_NONE has no words. */
extern const struct value_type event_value_types[VALUE_TYPES];

enum event_kind {
#define EVENT(name, ...) EVENT_##name,
#include "profile/event.def"
#undef EVENT
    EVENT_KINDS,
};

struct event_type {
    const char *word;                /* as users write it: sites */
    const char *title;               /* of a table: allocation sites */
    enum value values[EVENT_VALUES]; /* VALUE_NONE behind the last one */
};

/** By enum event_kind. */
extern const struct event_type event_types[EVENT_KINDS];

enum event_blocked_by { EVENT_BLOCKED_ENTER, EVENT_BLOCKED_WAIT, EVENT_BLOCKED_PARK };

/** What one time of being blocked has besides, and no sum of them. */
struct event_blocked {
    enum event_blocked_by by;
    uint64_t address; /* tells two monitors, or two blockers, of a class apart; 0: unknown */
    thread_id owner;  /* who had the monitor when it began; 0: unknown */
    /* How long it was meant to be: Object.wait(timeout_ms), parkNanos(timeout_ns), parkUntil. */
    bool has_timeout, has_until, has_timed_out;
    int64_t timeout, until_ms;
};

/** What one look at the process has besides; 0: unknown. */
struct event_levels {
    uint64_t resident_peak_bytes;
    uint64_t daemon_threads, peak_threads, started_threads;
};

/** All calls of one method that have ended, each with what it called. Times are in ns. */
struct event_timing {
    method_id method;
    uint64_t calls; /* more than 0 */
    uint64_t total, least, most;
};

struct custom_event;

struct event {
    enum event_kind kind;
    trace_id trace;     /* never 0: the empty trace is trace 1 */
    thread_id thread;   /* 0: that of the trace, if the trace has one */
    class_id klass;     /* of objects; 0: none */
    string_id text;     /* 0: none */
    context_id context; /* what the thread worked for: context.h; 0: nothing that is known */
    uint64_t time_ns; /* of the agent's CLOCK_MONOTONIC, of a file's since the epoch; 0: unknown, or
                       * a sum */
    uint64_t made_ns; /* of one object that lives at time_ns: when it was made; else 0 */
    uint64_t value[EVENT_VALUES];
    bool is_truncated; /* there were more frames than the trace has */
    bool is_waiting;   /* of wall-clock time: the thread did not run */
    bool is_biased;    /* of a sample: its stack is of the next safepoint, not of its moment */
    /* Of one time that a thread was blocked, which ended at time_ns; NULL: of a sum, or another
     * kind. Owner: the caller's. */
    const struct event_blocked *blocked;
    const struct event_levels *levels; /* of one look; else as above */
    const struct custom_event *custom; /* of one event of a type of its own; else as above */
};

/** The unit of a value in one word: count, ns, bytes. */
const char *event_unit(enum value value);
/** By how much to divide a level: the kind's first value that is a count; 1 where that is 0. */
uint64_t event_count(enum event_kind kind, const uint64_t *values);
/** How many values events of this kind have. */
uint32_t event_values(enum event_kind kind);
