/*
 * top_watch.h - watches one JVM or all JVMs: makes pages at the right times, looks at the threads
 * in between, and prints the pages or shows them on a terminal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "top/top_choice.h"

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

/** Says why there is no next page, if there is something to say. Returns an exit status. */
int top_watch_end(const struct top_watch *w, int error);

/** Prints one page after the other. Returns an exit status, after saying why it is not 0. */
int top_watch_print(struct top_watch *w);
/** Shows the newest page on a terminal, and takes keys that change what is shown, until the user
 * ends it or the JVM ends. Returns an exit status, after saying why it is not 0. */
int top_watch_view(struct top_watch *w);
