/*
 * mem_stop.h - stop all threads of a process, read their registers, let them go on.
 *
 * PTRACE_SEIZE and PTRACE_INTERRUPT: no signal is sent, nothing in the process changes, a system
 * call that is interrupted goes on by itself. All threads are asked first and waited for
 * afterwards, so the stop takes as long as the slowest thread and not the sum. A process that is
 * stopped already (SIGSTOP) stays so afterwards. A signal that arrives during the stop is kept and
 * given to its thread when the thread goes on.
 *
 * Source: ptrace(2).
 * Context of everything here: any, not signal; the thread that stops is the one that lets go.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "mem/mem_live.h"
#include "mem/stop_bound.h"

struct mem_stop_thread {
    pid_t tid; /* seized by us */
    int state;
    int signal; /* the signal that the thread was about to get when it stopped; 0 none */
};

struct mem_stop {
    struct mem_stop_thread *threads;
    uint32_t count, capacity;
    uint64_t start_ns; /* when the first thread was asked, CLOCK_MONOTONIC */
};

/**
 * Stop all threads; fills image.threads of `live` anew, with registers. `bound`, which this begins,
 * holds for the waiting, too; NULL: there is none.
 *
 * Errors: 0; -EPERM not permitted, or somebody else traces the process; -ESRCH the process has
 * ended; -ETIMEDOUT the bound was over, no thread stopped for two seconds, or not all did in ten
 * (then all go on), or some that did not stop then still have not: mem_stop_owed(); -ENOMEM.
 */
int mem_stop_all(struct mem_live *live, struct stop_bound *bound, struct mem_stop *ret_stop);

/** Let all threads go on. Returns how long they were stopped, in nanoseconds. */
uint64_t mem_stop_end(struct mem_stop *stop);

/**
 * Lets threads go that stopped after mem_stop_all() had given up: whoever lives on after -ETIMEDOUT
 * calls this again and again, for they stand still until then. The end of this process lets them go
 * as well. Returns how many have not stopped yet.
 */
uint32_t mem_stop_owed(void);

/** The process that traces `pid`; 0 none. */
pid_t mem_stop_tracer(pid_t pid);
