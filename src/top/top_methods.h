/*
 * top_methods.h - the hottest methods of the last minute: how often a running thread was seen in
 * each.
 *
 * Each look at a JVM adds the methods in which its threads are running. Events that are older than
 * the window are forgotten. If there are more than TOP_METHODS_SEEN events, the oldest are
 * forgotten too. A share of few looks is inexact, so the looks are counted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { TOP_METHODS_SEEN = 16384, TOP_METHODS_WINDOW_S = 60 };

struct top_method {
    char *name;
    uint32_t count;
};

/* An event: a look began (no method), or a running thread was seen in a method. */
struct top_methods_event {
    uint64_t at_ns;
    struct top_method *method;
};

struct top_methods {
    struct top_methods_event *events; /* a ring of TOP_METHODS_SEEN events */
    uint32_t first, event_count;
    struct top_method **methods; /* all methods with a count, in no order */
    uint32_t count, room;
    uint32_t looks, seen; /* numbers of events in the window */
};

/** Errors: 0, -ENOMEM. Owner: top_methods_done(), also after an error. */
int top_methods_init(struct top_methods *m);
void top_methods_done(struct top_methods *m);

/** Begins a look. `now_ns` must grow from call to call. */
void top_methods_look(struct top_methods *m, uint64_t now_ns);
/** Counts a thread that runs in the method `name`. If there is no memory, it is not counted. */
void top_methods_add(struct top_methods *m, uint64_t now_ns, const char *name);
/** The age of the oldest look in the window, in seconds; 0: there is no look. */
double top_methods_span_s(const struct top_methods *m, uint64_t now_ns);
/** Sorts `methods`, the hottest first. */
void top_methods_rank(struct top_methods *m);
