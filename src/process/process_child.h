/*
 * process_child.h - a child of this program that does one job in bounded time.
 *
 * The child is a fork of this program. It becomes another program by exec, or calls a function and
 * ends with _exit(). It ends with this program. When its time is over it gets SIGTERM, so that it
 * puts in order what it has begun, and SIGKILL if it still runs after some seconds.
 * Context: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROCESS_CHILD_GRACE_S = 5, PROCESS_CHILD_CANNOT_RUN = 127 };

/** How a child begins. */
struct process_child_how {
    /* its standard descriptors; -1: as this program's, but for the input, which is then empty */
    int in, out, said;
    int dies_by;            /* the signal that it gets when this program ends */
    bool leads_group;       /* it leads a process group, which is ended with it */
    bool ignores_interrupt; /* SIGINT of a terminal is for this program alone */
    uint64_t file_bytes;    /* the longest file that it may write; 0: no limit */
    uint64_t limit_ns;      /* how long it may run; 0: no limit */
};

struct process_child {
    pid_t pid;  /* 0: it has not begun, or has ended */
    int status; /* of waitpid(); -1: it has not ended */
    bool leads_group;
    unsigned asked;    /* how often it was told to end */
    uint64_t until_ns; /* on the monotonic clock; UINT64_MAX: no limit */
};

/** Starts a child. Returns 0 in the child, and its number in this program. Errors: -errno. */
pid_t process_child_start(struct process_child *c, const struct process_child_how *how);
/** Whether the child runs. If its time is over, tells it to end. */
bool process_child_runs(struct process_child *c);
/** Tells the child to end: the first time by SIGTERM, then by SIGKILL. */
void process_child_end(struct process_child *c);
/** Waits for its end. */
void process_child_wait(struct process_child *c);
/** The exit status; 128 + N after the signal N; -1: it has not ended. */
int process_child_status(const struct process_child *c);
