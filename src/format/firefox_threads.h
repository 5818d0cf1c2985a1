/*
 * firefox_threads.h - the threads of a Firefox Profiler file, grouped by their processes.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"

struct profile;
struct sink;

/** A thread of the file. Its number in the file is its index in a list of such rows. */
struct firefox_thread {
    thread_id id;
    process_id process;
    bool is_main;          /* the first thread of its process */
    bool is_visible;       /* shown when the file is opened */
    bool is_rest;          /* stands for all that belongs to no known thread */
    uint64_t marks, total; /* number and value of its samples */
    uint64_t process_total;
};

/**
 * Sorts the threads and fills in all but `id`, `marks` and `total`, which the caller sets. The
 * process with the largest total comes first. Within a process the thread with the largest total
 * comes first and is the main thread.
 *
 * Visible are the `shown` threads with the largest totals, the main thread of each process, and
 * each row with `is_rest`. Errors: 0, -ENOMEM.
 */
int firefox_threads_order(struct profile *p, struct firefox_thread *threads, uint32_t count,
                          uint32_t shown);
/** Writes the pid as a string of JSON; "1" if the process is unknown. */
void firefox_threads_put_pid(struct sink *s, struct profile *p, process_id id);
/** Writes the object of a thread up to its samples: the names of the thread and of its process. */
void firefox_threads_put_head(struct sink *s, struct profile *p,
                              const struct firefox_thread *thread);
/** Writes the fields of "meta" that say which threads are shown first, with a comma in front. */
void firefox_threads_put_shown(struct sink *s, const struct firefox_thread *threads,
                               uint32_t count);
/** The name of the process; if the process has none, the program of the profile; 0: unknown. */
string_id firefox_threads_program(struct profile *p, process_id id);
