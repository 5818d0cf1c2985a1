/*
 * times_block.h - what cpu=times keeps of one thread: its open calls, its paths and its clock.
 *
 * The thread itself and the tracker's bytecode write it; others read some of it meanwhile.
 * times_tree.c makes blocks, has the lock that keeps stacks and threads in their places, and says
 * what may be read when. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/times/times_call.h"
#include "agent/times/times_cpu.h"
#include "agent/times/times_paths.h"

/** What is known of where open calls lie in the thread's stack; times_repair.c's. */
struct times_seen {
    const struct times_call *call; /* the open call that a new path began with last, */
    int64_t entered;               /* when that was, */
    uintptr_t sp;                  /* and how far down its stack the thread was */
    uint32_t frames;               /* of the stack when they were counted last */
};

struct times_block {                        /* a thread */
    int64_t tid;                            /* Thread.tid */
    struct times_call *top, *stack, *limit; /* the innermost open call; the first and last place */
    struct times_paths paths;
    struct times_block *chain, *next;
    bool is_ended;
    int32_t os_thread; /* that it ended on */
    struct times_cpu cpu;
    struct times_seen seen;
    struct times_watch *watch; /* NULL but in tests: times_watch.h */
    uint32_t run;              /* that its paths and open calls are of */
    uint32_t thread;           /* what its rows say; 0 unknown */
    bool had_thread;           /* in the run before */
    bool is_kept;              /* ended, and its paths are told apart by its number */
};
