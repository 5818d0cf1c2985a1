/*
 * mem_stop.h - stop all threads of a process, read their registers, let them go on.
 *
 * PTRACE_SEIZE and PTRACE_INTERRUPT stop a thread without a signal. Nothing in the process changes,
 * and an interrupted system call goes on by itself. All threads are asked first and waited for
 * afterwards: the stop takes as long as the slowest thread, and not the sum of all. A process that
 * was stopped before (SIGSTOP) is still stopped afterwards. A signal that arrives during the stop
 * is kept, and given to its thread when the thread goes on.
 *
 * Source: ptrace(2).
 * Context of everything here: any, not signal; the thread that stops the process must also let it
 * go.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "mem/mem_live.h"

/**
 * How long a process may be stopped, and whether that time is over.
 *
 * The time counts from the moment when the first thread is asked to stop. Code that waits for
 * threads or reads memory meanwhile checks the bound, and lets the process go when the time is
 * over. (To let thousands of threads go takes some milliseconds more.) The bound reads no clock:
 * callers give the time.
 */
struct mem_stop_bound {
    uint64_t most_ns;  /* 0: there is no bound */
    uint64_t begin_ns; /* begin of the stop, CLOCK_MONOTONIC; set by mem_stop_bound_begin() */
    bool was_over;     /* mem_stop_bound_is_over() has returned true since then */
};

/** Begin a stop at `now_ns`. */
void mem_stop_bound_begin(struct mem_stop_bound *b, uint64_t now_ns);
/** Whether the time is over at `now_ns`. Once it is over, it stays over until the next stop. */
bool mem_stop_bound_is_over(struct mem_stop_bound *b, uint64_t now_ns);

struct mem_stop_thread {
    pid_t tid; /* seized by us */
    int state;
    int signal; /* the signal that the thread was about to get when it stopped; 0: none */
};

struct mem_stop {
    struct mem_stop_thread *threads;
    uint32_t count, capacity;
    uint64_t start_ns; /* when the first thread was asked, CLOCK_MONOTONIC */
};

/**
 * Stop all threads, and fill image.threads of `live` anew, with registers. `bound` also limits the
 * wait for the threads, and begins with this call; NULL: there is no bound.
 *
 * Errors:  0; -EPERM not permitted, or another process traces this one; -ESRCH the process has
 *          ended; -ETIMEDOUT one of these: the bound was over, no thread stopped for two seconds,
 *          or not all threads stopped in ten seconds (then all go on), or threads of an earlier
 *          stop have still not stopped (mem_stop_owed()); -ENOMEM.
 */
int mem_stop_all(struct mem_live *live, struct mem_stop_bound *bound, struct mem_stop *ret_stop);

/**
 * Whether ptrace is refused whatever process is asked for, as filters of system calls do. Returns
 * 0, or -errno. The question is about no process, so it needs no right.
 */
int mem_stop_refused(void);

/** Let all threads go on. Returns for how many ns they were stopped. */
uint64_t mem_stop_end(struct mem_stop *stop);

/**
 * Let threads go that stopped only after mem_stop_all() had given up. A process that lives on after
 * -ETIMEDOUT must call this again and again, because these threads stand still until then. The end
 * of the calling process lets them go, too. Returns how many have not stopped yet.
 */
uint32_t mem_stop_owed(void);

/** The process that traces `pid`; 0: none. */
pid_t mem_stop_tracer(pid_t pid);
