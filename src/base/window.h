/*
 * window.h - a span of time as people name it: --from and --to.
 *
 * An edge is a number of seconds since a recording began, a time of day, a date with a time, or a
 * value of System.nanoTime(). Only the recording tells which moment that is, so a window is parsed
 * first and resolved when the recording is open. Moments are nanoseconds since the epoch.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum window_kind {
    WINDOW_OPEN,        /* nothing was said */
    WINDOW_SINCE_START, /* ns since the recording began */
    WINDOW_OF_DAY,      /* ns since midnight, local time, of a day that the recording tells */
    WINDOW_MOMENT,      /* ns since the epoch */
    WINDOW_NANOTIME,    /* a value of System.nanoTime() in the JVM that was recorded */
};

struct window_edge {
    enum window_kind kind;
    int64_t value;
};

/** What a recording says of its clocks at one moment, the one it began at. */
struct window_clock {
    int64_t start_ns;    /* since the epoch */
    int64_t nanotime_ns; /* System.nanoTime() at that moment */
    bool has_nanotime;
};

/** A range of time; all zero: everything. A moment is in the range from the edge `from` on, up to
 * but not with the edge `to`. */
struct window {
    struct window_edge from, to;
    bool is_resolved;
    int64_t from_ns, to_ns;
};

/** What window_parse() takes, in words for a message. */
#define WINDOW_WANTED                                                                              \
    "wanted are seconds since the start (12.5, 90s, 500ms, 2m, 1h), a time (14:05:00, "            \
    "2026-01-31T14:05:00Z) or nanotime:N"

/**
 * Parses "12.5", "500ms", "2m", "1h", "14:05", "14:05:00.250", "2026-01-31T14:05:00" with or
 * without a fraction and "Z" or "+01:00" (local time without either), "nanotime:123".
 * Errors: 0; E_SYNTAX; E_RANGE beyond 2^63-1 ns.
 */
int window_parse(const char *text, struct window_edge *ret_edge);
/** Whether an edge was given. */
bool window_is_set(const struct window *w);
/** Whether no moment can be in it, as its edges were written: the second is not behind the first.
 * Times of day may be of two days. */
bool window_is_empty(const struct window *w);
/**
 * Finds the moments of the two edges; a time of day is the moment of that time nearest to the
 * start. Further calls do nothing. Errors: 0; E_UNSUPPORTED: the recording does not say what
 * System.nanoTime() was.
 */
int window_resolve(struct window *w, const struct window_clock *clock);
/** Whether the moment is in the window, which window_resolve() has resolved. */
bool window_has(const struct window *w, int64_t time_ns);
