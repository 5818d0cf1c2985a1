/*
 * bundle_child.h - a command of ours that runs beside this one, with bounds.
 *
 * The command is this very program. Its output and messages go into files in memory, so nothing is
 * left when this program is killed. It gets SIGTERM when its time is over or this program ends.
 * Context: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "process/process_child.h"

enum { BUNDLE_CHILD_WORDS = 32 };

struct bundle_child {
    struct process_child process;
    int out, said; /* its output and its messages; -1: none */
    bool is_late;  /* it was ended because its time was over */
    uint64_t began_ns, ended_ns;
};

/** Starts `argv`, whose first word is the name of a command; the last one is NULL. Errors: 0;
 * -errno. Owner: bundle_child_close(), also after an error. */
int bundle_child_start(struct bundle_child *c, char *const *argv, uint64_t limit_ns,
                       uint64_t bytes_max);
/** Waits until none of them runs, or *is_ended is set, which ends all. */
void bundle_child_wait(struct bundle_child *all, uint32_t count,
                       const volatile sig_atomic_t *is_ended);
void bundle_child_close(struct bundle_child *c);
