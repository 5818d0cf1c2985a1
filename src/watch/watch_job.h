/*
 * watch_job.h - a function that runs in a child process and gives a result of fixed size back.
 *
 * What a JVM answers, and what its files hold, is read in such a child. So a JVM that does not
 * answer delays nobody else, and whatever happens to the child, this process goes on. Context: any,
 * not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "process/process_child.h"

enum { WATCH_JOB_RESULT = 512 };

struct watch_job {
    struct process_child child; /* its pid is 0: no job runs */
    int result;                 /* the end of a pipe; -1: none */
};

/** The work: fills a result, which is zeroed before. Context: a child process. */
typedef void watch_job_work(void *with, void *ret_result);

/** Starts a job, which is ended after `limit_ns`. Errors: 0; -errno. */
int watch_job_start(struct watch_job *j, uint64_t limit_ns, size_t size, watch_job_work *work,
                    void *with);
/** Whether the job has ended now. Then *ret_result is its result; all zero: it gave none. */
bool watch_job_is_over(struct watch_job *j, size_t size, void *ret_result);
/** Ends a job that runs, and forgets it. */
void watch_job_drop(struct watch_job *j);
