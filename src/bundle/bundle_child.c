/*
 * bundle_child.c - see bundle_child.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bundle/bundle_child.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "safe/clock.h"
#include "view/memory_file.h"

enum { LOOK_NS = 20000000, MERCY_S = 5 };

/* In the child. */
static void become(const struct bundle_child *c, char *const *argv, pid_t parent,
                   uint64_t bytes_max)
{
    const struct rlimit files = {bytes_max, bytes_max}, none = {0, 0};
    signal(SIGINT, SIG_IGN); /* of a terminal: this program ends its children itself */
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
        _exit(127);
    setrlimit(RLIMIT_FSIZE, &files);
    setrlimit(RLIMIT_CORE, &none);
    dup2(c->out, STDOUT_FILENO);
    dup2(c->said, STDERR_FILENO);
    execv("/proc/self/exe", argv);
    _exit(127);
}

int bundle_child_start(struct bundle_child *c, char *const *argv, uint64_t limit_ns,
                       uint64_t bytes_max)
{
    pid_t parent = getpid();
    *c = (struct bundle_child){.status = -1, .out = -1, .said = -1};
    c->out = memory_file_open("hprof bundle");
    c->said = memory_file_open("hprof bundle");
    if (c->out < 0 || c->said < 0)
        return c->out < 0 ? c->out : c->said;
    c->began_ns = c->ended_ns = clock_monotonic_ns();
    c->until_ns = c->began_ns + limit_ns;
    c->pid = fork();
    if (c->pid == 0)
        become(c, argv, parent, bytes_max);
    if (c->pid > 0)
        return 0;
    c->pid = 0;
    return -errno;
}

/* Returns whether it still runs. */
static bool look(struct bundle_child *c, bool is_ended)
{
    uint64_t now_ns = clock_monotonic_ns();
    if (c->pid <= 0)
        return false;
    pid_t got = waitpid(c->pid, &c->status, WNOHANG);
    if (got == c->pid || (got < 0 && errno == ECHILD)) {
        c->pid = 0;
        c->ended_ns = now_ns;
        return false;
    }
    bool is_over = is_ended || now_ns > c->until_ns;
    if (is_over && now_ns > c->until_ns + (uint64_t)MERCY_S * NS_PER_S) {
        kill(c->pid, SIGKILL);
    } else if (is_over && !c->is_late) {
        c->is_late = true;
        c->until_ns = now_ns < c->until_ns ? now_ns : c->until_ns;
        kill(c->pid, SIGTERM);
    }
    return true;
}

void bundle_child_wait(struct bundle_child *all, uint32_t count, const volatile int *is_ended)
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
