/*
 * watch_job.c - see watch_job.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_job.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* In the child. */
static _Noreturn void do_work(int pipe, size_t size, watch_job_work *work, void *with)
{
    unsigned char result[WATCH_JOB_RESULT] __attribute__((aligned(16))) = {0};
    work(with, result);
    _exit(write(pipe, result, size) == (ssize_t)size ? 0 : PROCESS_CHILD_CANNOT_RUN);
}

int watch_job_start(struct watch_job *j, uint64_t limit_ns, size_t size, watch_job_work *work,
                    void *with)
{
    int ends[2];
    if (size > WATCH_JOB_RESULT)
        return -EINVAL;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    const struct process_child_how how = {.in = -1,
                                          .out = -1,
                                          .said = -1,
                                          .dies_by = SIGKILL,
                                          .ignores_interrupt = true,
                                          .limit_ns = limit_ns};
    pid_t pid = process_child_start(&j->child, &how);
    if (pid == 0)
        do_work(ends[1], size, work, with);
    close(ends[1]);
    j->result = ends[0];
    if (pid > 0)
        return 0;
    close(j->result);
    j->result = -1;
    return pid;
}

bool watch_job_is_over(struct watch_job *j, size_t size, void *ret_result)
{
    if (j->child.pid <= 0 || process_child_runs(&j->child))
        return false;
    if (read(j->result, ret_result, size) != (ssize_t)size)
        memset(ret_result, 0, size);
    close(j->result);
    j->result = -1;
    return true;
}

void watch_job_drop(struct watch_job *j)
{
    if (j->child.pid <= 0)
        return;
    kill(j->child.pid, SIGKILL);
    process_child_wait(&j->child);
    close(j->result);
    j->result = -1;
}
