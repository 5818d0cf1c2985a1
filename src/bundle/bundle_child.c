/*
 * bundle_child.c - see bundle_child.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bundle/bundle_child.h"
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "safe/clock.h"
#include "view/memory_file.h"

enum { LOOK_NS = 20000000 };

int bundle_child_start(struct bundle_child *c, char *const *argv, uint64_t limit_ns,
                       uint64_t bytes_max)
{
    *c = (struct bundle_child){.process.status = -1, .out = -1, .said = -1};
    c->out = memory_file_open("hprof bundle");
    c->said = memory_file_open("hprof bundle");
    if (c->out < 0 || c->said < 0)
        return c->out < 0 ? c->out : c->said;
    const struct process_child_how how = {
        .in = STDIN_FILENO,
        .out = c->out,
        .said = c->said,
        .dies_by = SIGTERM,
        .ignores_interrupt = true, /* this program ends its children itself */
        .file_bytes = bytes_max,
        .limit_ns = limit_ns,
    };
    c->began_ns = c->ended_ns = clock_monotonic_ns();
    pid_t pid = process_child_start(&c->process, &how);
    if (pid == 0) {
        execv("/proc/self/exe", argv);
        _exit(PROCESS_CHILD_CANNOT_RUN);
    }
    return pid < 0 ? pid : 0;
}

/* Returns whether it still runs. */
static bool look(struct bundle_child *c, bool is_ended)
{
    bool did_run = c->process.pid > 0;
    if (is_ended && c->process.asked == 0)
        process_child_end(&c->process);
    bool does_run = process_child_runs(&c->process);
    c->is_late |= does_run && c->process.asked > 0;
    if (did_run && !does_run)
        c->ended_ns = clock_monotonic_ns();
    return does_run;
}

void bundle_child_wait(struct bundle_child *all, uint32_t count,
                       const volatile sig_atomic_t *is_ended)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    bool is_running = true;
    while (is_running) {
        is_running = false;
        for (uint32_t i = 0; i < count; i++)
            is_running = look(&all[i], *is_ended != 0) || is_running;
        if (is_running)
            nanosleep(&pause, NULL);
    }
}

void bundle_child_close(struct bundle_child *c)
{
    if (c->out >= 0)
        close(c->out);
    if (c->said >= 0)
        close(c->said);
    c->out = c->said = -1;
}
