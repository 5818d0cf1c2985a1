/*
 * process_set.h - the processes that a profile is of, where it is of several, and their threads.
 *
 * A part of the model (profile_processes()), in its arena. Threads are numbered by their process
 * alone: two processes number theirs alike. The thread of number 0 stands for all threads of its
 * process that have no row of their own. Not thread-safe. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"
#include "profile/lookup.h"
#include "profile/table.h"

struct arena;

/** A pid is given to many: processes of one pid differ in when they began. */
struct process_set_row {
    string_id name;
    uint32_t pid;     /* 0: unknown */
    int64_t start_ms; /* since the epoch; 0: unknown */
};

struct process_set {
    struct arena *arena; /* the model's */
    const struct lookup_key *hash_key;
    struct table rows, threads;
    struct table before;                 /* by process: how many before it have its pid */
    struct lookup index, by_row, by_pid; /* of `threads`, `rows`; the first row of each pid */
};

void process_set_init(struct process_set *s, struct arena *arena,
                      const struct lookup_key *hash_key);
/** The process of this pid and start, or if there is none, or the pid is 0, a new one. 0: no room.
 */
process_id process_set_of(struct process_set *s, const struct process_set_row *row);
/** A process of no known pid by its name; a new one if there is none. 0: no room. */
process_id process_set_named(struct process_set *s, string_id name);
uint32_t process_set_count(const struct process_set *s);
/** Process 1 .. process_set_count(). */
const struct process_set_row *process_set_at(const struct process_set *s, process_id id);
/** How many of the processes before this one have its pid. */
uint32_t process_set_before(const struct process_set *s, process_id id);
/** The thread that was added by this number; 0: none. */
thread_id process_set_thread(const struct process_set *s, process_id process, uint32_t serial);
/** Errors: 0, -ENOMEM. */
int process_set_add_thread(struct process_set *s, process_id process, uint32_t serial,
                           thread_id id);
