/*
 * top_watch.h - one JVM or all, watched: pages in time, and looks at the threads in between.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "cli/top_choice.h"

struct textbuf;
struct top_jvm;
struct top_list;

struct top_watch {
    struct top_jvm *jvm;   /* one JVM, or */
    struct top_list *list; /* all */
    struct top_choice choice;
    uint64_t interval_ns; /* from page to page */
    uint64_t look_ns;     /* from look to look at least; 0: none between pages */
    uint64_t looked_ns;   /* when the last one was */
    uint32_t count;       /* pages; 0: until it ends */
    bool is_json;
};

/** What is to come first, after `began_ns`: a page soon, so that there is something to see. */
uint64_t top_watch_first(const struct top_watch *w, uint64_t began_ns);
/**
 * Looks and waits until a page may be made, then or later (looks must not cost the JVM too much),
 * or until `fd` can be read (-1: nothing is to be read). Errors: 0 the time has come; 1 there is
 * something to read, or a signal came; -ESRCH the JVM has ended.
 */
int top_watch_wait(struct top_watch *w, uint64_t wanted_ns, int fd);
/** Waits until `fd` can be read, or a signal comes, and leaves the JVM alone. Returns 1. */
int top_watch_idle(int fd);
/** Makes a page. Errors: 0; -ESRCH the JVM has ended; another -errno. */
int top_watch_turn(struct top_watch *w);
/** Writes the page as text. */
void top_watch_put(struct top_watch *w, struct textbuf *t);
/** Says why there is no next page, if it is worth a word. Returns an exit status. */
int top_watch_end(const struct top_watch *w, int error);

/** Prints pages, one after another. Returns an exit status, after saying why it is not 0. */
int top_watch_print(struct top_watch *w);
