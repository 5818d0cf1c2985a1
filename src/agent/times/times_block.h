/*
 * times_block.h - what cpu=times keeps for one thread: its open calls, its paths and its clock.
 *
 * The thread itself and the tracker's bytecode write the block; other threads read some of it
 * meanwhile. times_tree.c makes blocks, has the lock that keeps stacks and threads in their places,
 * and says what may be read at which time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/times/times_cpu.h"
#include "agent/times/times_paths.h"

/** Facts of times_repair.c about the places of open calls in the thread's stack. */
struct times_seen {
    const struct times_call *call; /* the open call that began a new path last */
    int64_t entered;               /* when this call was entered */
    uintptr_t sp;                  /* the stack pointer of the thread at that time */
    uint32_t frames;               /* frames of the stack when they were last counted */
};

struct times_block { /* of one thread */
    int64_t tid;     /* Thread.tid */
    /* the innermost open call; the first place; the last place */
    struct times_call *top, *stack, *limit;
    struct times_paths paths;
    struct times_block *chain, *next;
    bool is_ended;
    int32_t os_thread; /* the OS thread on which it ended */
    struct times_cpu cpu;
    struct times_seen seen;
    struct times_watch *watch; /* NULL except in tests: times_watch.h */
    uint32_t run;              /* the run to which its paths and open calls belong */
    uint32_t thread;           /* the thread's number in rows; 0 unknown */
    bool had_thread;           /* it had such a number in the run before */
    bool is_kept;              /* it has ended, and its paths are kept apart under its number */
};
