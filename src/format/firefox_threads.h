/*
 * firefox_threads.h - the threads of a Firefox Profiler file by their processes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"

struct profile;
struct sink;

/** A thread of the file: its number there is its place in a list of these. */
struct firefox_thread {
    thread_id id;
    process_id process;
    bool is_main;          /* the first of its process */
    bool is_visible;       /* at first */
    bool is_rest;          /* what is of no thread that is known */
    uint64_t marks, total; /* of the samples */
    uint64_t process_total;
};

/**
 * Fills in the processes of threads that have an id and totals, and orders them: the process with
 * most of the value first, and of each the thread that has most, which is its main one. Visible are
 * the `shown` threads with most, and of each process the main one and what is of no thread. Errors:
 * 0, -ENOMEM.
 */
int firefox_threads_order(struct profile *p, struct firefox_thread *threads, uint32_t count,
                          uint32_t shown);
/** The pid, a string of JSON; of a profile that knows no processes "1". */
void firefox_threads_put_pid(struct sink *s, struct profile *p, process_id id);
/** What a thread and its process are called: the object of the thread up to its samples. */
void firefox_threads_put_head(struct sink *s, struct profile *p,
                              const struct firefox_thread *thread);
/** Of "meta": which threads are shown first, with a comma before. */
void firefox_threads_put_shown(struct sink *s, const struct firefox_thread *threads,
                               uint32_t count);
/** What the process is called, or else the program of the profile; 0: unknown. */
string_id firefox_threads_program(struct profile *p, process_id id);
