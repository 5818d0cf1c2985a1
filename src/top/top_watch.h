/*
 * top_watch.h - watches one JVM or all JVMs: makes pages at the right times, and looks at the
 * threads in between.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "top/top_choice.h"

struct textbuf;
struct top_jvm;
struct top_list;

struct top_watch {
    struct top_jvm *jvm;   /* one JVM; or NULL */
    struct top_list *list; /* all JVMs; or NULL */
    struct top_choice choice;
    uint64_t interval_ns; /* from one page to the next */
    uint64_t look_ns;     /* least time from one look to the next; 0: no looks between pages */
    uint64_t looked_ns;   /* time of the last look */
    uint32_t count;       /* number of pages; 0: no limit */
    bool is_json;
};

/** The time of the first page after `began_ns`. It comes soon, so that the user sees a page. */
uint64_t top_watch_first(const struct top_watch *w, uint64_t began_ns);
/**
 * Looks at the threads and waits until a page may be made: at `wanted_ns`, or later if looks would
 * cost the JVM too much. Ends early if `fd` can be read (-1: nothing is read). Errors: 0: it is
 * time for a page; 1: `fd` can be read, or a signal came; -ESRCH: the JVM has ended.
 */
int top_watch_wait(struct top_watch *w, uint64_t wanted_ns, int fd);
/** Waits until `fd` can be read or a signal comes, and does not read the JVM. Returns 1. */
int top_watch_idle(int fd);
/** Makes a page. Errors: 0; -ESRCH: the JVM has ended; another -errno. */
int top_watch_turn(struct top_watch *w);
/** Writes the page as text. */
void top_watch_put(struct top_watch *w, struct textbuf *t);
/** Says why there is no next page, if there is something to say. Returns an exit status. */
int top_watch_end(const struct top_watch *w, int error);

/** Prints one page after the other. Returns an exit status, after saying why it is not 0. */
int top_watch_print(struct top_watch *w);
