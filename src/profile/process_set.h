/*
 * process_set.h - the processes in a profile of several processes, and their threads.
 *
 * A part of the model (profile_processes()) in its arena. The number of a thread is unique only in
 * its process. Thread number 0 stands for all threads of its process that have no row. Not
 * thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"
#include "profile/lookup.h"
#include "profile/table.h"

struct arena;

/** The system gives a pid again, so processes with one pid are told apart by their start. */
struct process_set_row {
    string_id name;
    uint32_t pid;     /* 0: unknown */
    int64_t start_ms; /* since the epoch; 0: unknown */
};

struct process_set {
    struct arena *arena; /* the model's */
    const struct lookup_key *hash_key;
    struct table rows, threads;
    /* one row for each process: how many processes in front of it have its pid */
    struct table before;
    struct lookup index, by_row, by_pid; /* by thread; by row; the first row of each pid */
};

void process_set_init(struct process_set *s, struct arena *arena,
                      const struct lookup_key *hash_key);
/** The process with this pid and start. Adds a new one if there is none, or if the pid is 0. 0: no
 * room. */
process_id process_set_of(struct process_set *s, const struct process_set_row *row);
/**
 * The process without a known pid that has this name; adds a new one if there is none. 0: no room.
 */
process_id process_set_named(struct process_set *s, string_id name);
uint32_t process_set_count(const struct process_set *s);
/** Process 1 to process_set_count(). */
const struct process_set_row *process_set_at(const struct process_set *s, process_id id);
/** How many of the processes in front of this one have the same pid. */
uint32_t process_set_before(const struct process_set *s, process_id id);
/** The thread that was added with this number; 0: none. */
thread_id process_set_thread(const struct process_set *s, process_id process, uint32_t serial);
/** Errors: 0, -ENOMEM. */
int process_set_add_thread(struct process_set *s, process_id process, uint32_t serial,
                           thread_id id);
