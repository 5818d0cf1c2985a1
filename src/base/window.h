/*
 * window.h - a span of time as people name it: --from and --to.
 *
 * An edge is a number of seconds since the recording began, a time of day, a date with a time, or a
 * value of System.nanoTime(). Only the recording can tell which moment an edge is. So a window is
 * parsed first and resolved when the recording is open. A moment is a count of nanoseconds since
 * the epoch.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum window_kind {
    WINDOW_OPEN,        /* the user gave no edge */
    WINDOW_SINCE_START, /* ns since the recording began */
    WINDOW_OF_DAY,      /* ns since midnight, local time; the recording tells the day */
    WINDOW_MOMENT,      /* ns since the epoch */
    WINDOW_NANOTIME,    /* a value of System.nanoTime() in the JVM that was recorded */
};

struct window_edge {
    enum window_kind kind;
    int64_t value;
};

/** The clocks of a recording at the moment when it began. */
struct window_clock {
    int64_t start_ns;    /* since the epoch */
    int64_t nanotime_ns; /* System.nanoTime() at the same moment */
    bool has_nanotime;
};

/** A range of time; all zero: everything. A moment is in the range if it is not earlier than `from`
 * and earlier than `to`. */
struct window {
    struct window_edge from, to;
    bool is_resolved;
    int64_t from_ns, to_ns;
};

/** The inputs that window_parse() accepts, in words for a message. */
#define WINDOW_WANTED                                                                              \
    "wanted are seconds since the start (12.5, +90s, 500ms, 2m, 1h), a time (14:05:00, "           \
    "2026-01-31T14:05:00Z) or nanotime:N"

/**
 * Parses "12.5", "500ms", "2m", "1h", "14:05", "14:05:00.250", "nanotime:123" or a date with a time
 * like "2026-01-31T14:05:00". A '+' may stand before a time since the start, as in "+10s". The
 * seconds may have a fraction. A date may end with "Z" or "+01:00"; without them it is in local
 * time.
 *
 * Errors:  0; E_SYNTAX; E_RANGE beyond 2^63-1 ns.
 */
int window_parse(const char *text, struct window_edge *ret_edge);
/** Whether the user gave an edge. */
bool window_is_set(const struct window *w);
/** Whether no moment can be in the window because its second edge is not later than its first. Two
 * times of day never make an empty window, because they may be of two days. */
bool window_is_empty(const struct window *w);
/**
 * Computes the moments of the two edges. For a time of day, it is the moment nearest to the start.
 * Further calls do nothing.
 *
 * Errors:  0; E_UNSUPPORTED: the recording does not say what System.nanoTime() was.
 */
int window_resolve(struct window *w, const struct window_clock *clock);
/** Whether the moment is in the window. window_resolve() must have succeeded. */
bool window_has(const struct window *w, int64_t time_ns);
