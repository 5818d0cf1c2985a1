/*
 * process_child.c - see process_child.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/process_child.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "safe/clock.h"

static bool take_place(int fd, int place)
{
    return fd < 0 || fd == place || dup2(fd, place) == place;
}

/* In the child. This function calls only what is safe after fork(). */
static void begin(const struct process_child_how *how, pid_t parent)
{
    static const int usual_signals[] = {SIGTERM, SIGHUP, SIGPIPE};
    const struct rlimit none = {0, 0};
    struct sigaction usual = {.sa_handler = SIG_DFL}, ignored = {.sa_handler = SIG_IGN};
    int in = how->in >= 0 ? how->in : open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof(usual_signals) / sizeof(usual_signals[0]); i++)
        sigaction(usual_signals[i], &usual, NULL);
    sigaction(SIGINT, how->ignores_interrupt ? &ignored : &usual, NULL);
    if (how->leads_group)
        setpgid(0, 0);
    if (how->file_bytes > 0)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){how->file_bytes, how->file_bytes});
    setrlimit(RLIMIT_CORE, &none);
    if (prctl(PR_SET_PDEATHSIG, how->dies_by) != 0 || getppid() != parent || in < 0 ||
        !take_place(in, STDIN_FILENO) || !take_place(how->out, STDOUT_FILENO) ||
        !take_place(how->said, STDERR_FILENO))
        _exit(PROCESS_CHILD_CANNOT_RUN);
}

pid_t process_child_start(struct process_child *c, const struct process_child_how *how)
{
    pid_t parent = getpid(), pid = fork();
    *c = (struct process_child){.status = -1, .leads_group = how->leads_group};
    if (pid == 0)
        begin(how, parent);
    if (pid <= 0)
        return pid < 0 ? -errno : 0;
    /* Both do it, so that the group is there before anybody ends it. */
    if (how->leads_group)
        setpgid(pid, pid);
    c->pid = pid;
    c->until_ns = how->limit_ns > 0 ? clock_monotonic_ns() + how->limit_ns : UINT64_MAX;
    return pid;
}

void process_child_end(struct process_child *c)
{
    if (c->pid <= 0)
        return;
    kill(c->leads_group ? -c->pid : c->pid, c->asked > 0 ? SIGKILL : SIGTERM);
    c->asked++;
    c->until_ns = clock_monotonic_ns() + (uint64_t)PROCESS_CHILD_GRACE_S * NS_PER_S;
}

bool process_child_runs(struct process_child *c)
{
    if (c->pid <= 0)
        return false;
    pid_t got = waitpid(c->pid, &c->status, WNOHANG);
    if (got == c->pid || (got < 0 && errno == ECHILD)) {
        c->pid = 0;
        return false;
    }
    if (clock_monotonic_ns() >= c->until_ns)
        process_child_end(c);
    return true;
}

void process_child_wait(struct process_child *c)
{
    if (c->pid <= 0)
        return;
    while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
        ;
    c->pid = 0;
}

int process_child_status(const struct process_child *c)
{
    return c->status < 0            ? -1
           : WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status)
                                    : WEXITSTATUS(c->status);
}
