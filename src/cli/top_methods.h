/*
 * top_methods.h - the hottest methods of the last minute: how often a running thread was seen in
 * each.
 *
 * Each look at a JVM adds the methods that its running threads are in. What is older than the
 * window is forgotten; when there is more than TOP_METHODS_SEEN of it, so is the oldest. A share of
 * few looks is a rough one, so the looks are counted, too. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { TOP_METHODS_SEEN = 16384, TOP_METHODS_WINDOW_S = 60 };

struct top_method {
    char *name;
    uint32_t count;
};

/* A look began (no method), or a running thread was seen in a method. */
struct top_methods_event {
    uint64_t at_ns;
    struct top_method *method;
};

struct top_methods {
    struct top_methods_event *events; /* a ring of TOP_METHODS_SEEN */
    uint32_t first, event_count;
    struct top_method **methods; /* those that have a count, in any order */
    uint32_t count, room;
    uint32_t looks, seen; /* in the window */
};

/** Errors: 0, -ENOMEM. Owner: top_methods_done(), also after an error. */
int top_methods_init(struct top_methods *m);
void top_methods_done(struct top_methods *m);

/** Times grow from call to call. */
void top_methods_look(struct top_methods *m, uint64_t now_ns);
/** A thread runs in the method `name`. Without memory it is left out. */
void top_methods_add(struct top_methods *m, uint64_t now_ns, const char *name);
/** How long ago the oldest look of the window was, in seconds; 0 without one. */
double top_methods_span_s(const struct top_methods *m, uint64_t now_ns);
/** Sorts `methods`: the hottest first. */
void top_methods_rank(struct top_methods *m);
