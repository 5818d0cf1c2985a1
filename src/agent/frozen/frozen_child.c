/*
 * frozen_child.c - how the forked child begins and ends.
 *
 * The child has one thread of a copied JVM, and another thread may have held any lock at the fork.
 * So the child calls no malloc(), no stdio and no JNI, and never returns into the VM. If it
 * crashes, it ends with an exit status: the VM's signal handlers are removed first, so that the VM
 * does not handle the crash. SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_state.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include "agent/agent.h"
#include "base/err.h"
#include "options/options_testing.h"
#include "safe/clock.h"
#include "safe/mem_self.h"

enum {
    TEST_CRASH = 2, /* values of dumptest= */
    TEST_WAIT = 3,
    TEST_WAIT_S = 100,
    NICE = 5,
    TEST_POLL_US = 1000,
    CRASHED = 100, /* exit status: this number plus the number of the signal */
    ERROR = 99,    /* exit status; the status page has the error */
};

static struct frozen_status *status; /* for the handler */

/* Writes the place of the crash as its distance from this function, which is enough to find the
 * line. */
static void on_crash(int sig, siginfo_t *info, void *context)
{
    static const char digits[] = "0123456789abcdef";
    const ucontext_t *u = context;
#if defined(__x86_64__)
    uint64_t pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
#else
    uint64_t pc = (uint64_t)u->uc_mcontext.pc;
#endif
    char *at = stpcpy(status->why, "on_crash+0x");

    pc -= (uint64_t)(uintptr_t)on_crash;
    for (int shift = 60; shift >= 0; shift -= 4)
        *at++ = digits[pc >> shift & 15];
    *at = '\0';
    _exit(CRASHED + sig);
}

static void set_signals(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
    struct sigaction action = {.sa_handler = SIG_IGN};
    struct itimerval never = {{0, 0}, {0, 0}};
    sigset_t none;
    setitimer(ITIMER_REAL, &never, NULL);
    setitimer(ITIMER_PROF, &never, NULL);
    /* among them signals of the application and the agent's sampling signal */
    for (int sig = 1; sig < NSIG; sig++)
        sigaction(sig, &action, NULL);
    mem_self_replaced();
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO;
    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
        sigaction(crashes[i], &action, NULL);
    sigemptyset(&none);
    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
        sigaddset(&none, crashes[i]);
    sigprocmask(SIG_UNBLOCK, &none, NULL);
}

void frozen_child_goes_first(const char *path)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t written = write(fd, "1000", 4);
        (void)written; /* no error if this is not allowed */
        close(fd);
    }
}

/* Closes the files that the application has open. Otherwise they would stay open when the
 * application closes them, for example a socket. */
static void close_others(int keep)
{
#ifdef SYS_close_range
    if (keep > 3)
        syscall(SYS_close_range, 3u, (unsigned)keep - 1, 0u);
    if (syscall(SYS_close_range, (unsigned)keep + 1, ~0u, 0u) == 0)
        return;
#endif
    for (int fd = 3; fd < 65536; fd++) {
        if (fd != keep)
            close(fd);
    }
}

void frozen_child_enter(struct frozen *f)
{
    struct rlimit none = {0, 0};
    status = f->status;
    set_signals();
    setrlimit(RLIMIT_CORE, &none);
    frozen_child_goes_first("/proc/self/oom_score_adj"); /* in case the parent was not allowed to */
    setpriority(PRIO_PROCESS, 0, NICE);
    prctl(PR_SET_NAME, "hprof heap dump", 0, 0, 0);
    close_others(f->keep_fd);
}

void frozen_child_give_back(void *arg, uint64_t from, uint64_t to)
{
    struct frozen *f = arg;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t low = (from + page - 1) & ~(page - 1), high = to & ~(page - 1);
    frozen_status_progress(f->status, to - from + 1);
    if (high > low)
        madvise((void *)(uintptr_t)low, high - low, MADV_DONTNEED);
}

static struct frozen *at_hand; /* for the handler */

static void on_walk_end(int sig)
{
    frozen_child_run(at_hand);
}

/*
 * JVM TI does not say when its walk ends. After the walk the VM thread would wake the other
 * threads, which do not exist in the child. From now on a futex call raises a signal, so the
 * handler of the signal runs when the VM thread wants to wake them: that is the first futex call.
 */
void frozen_child_take_over(struct frozen *f)
{
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(rows) / sizeof(rows[0]), rows};
    struct sigaction action = {.sa_handler = on_walk_end, .sa_flags = SA_NODEFER};
    sigset_t one;
    at_hand = f;
    sigemptyset(&one);
    sigaddset(&one, SIGSYS);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    if (sigaction(SIGSYS, &action, NULL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        f->status->walk_errno = errno;
        f->status->is_walked = 0;
        frozen_child_run(f); /* the child then works without sites */
    }
}

/* Waits until a test makes a file with the name dumptest, at most TEST_WAIT_S. */
static void wait_for_test(void)
{
    uint64_t end = clock_monotonic_ns() + (uint64_t)TEST_WAIT_S * NS_PER_S;
    while (access("dumptest", F_OK) != 0 && clock_monotonic_ns() < end)
        usleep(TEST_POLL_US);
}

void frozen_child_run(struct frozen *f)
{
    const char *why = NULL;
    int error = mem_self_open(MEM_SELF_HANDLER, 0);
    f->vm.target.mem = &mem_self;
    if (options_testing_of(&f->agent->options)->dumptest == TEST_CRASH)
        raise(SIGSEGV);
    if (options_testing_of(&f->agent->options)->dumptest == TEST_WAIT)
        wait_for_test();
    if (!error)
        error = f->use->work(f->self, &why);
    f->status->error = error;
    f->status->ns = clock_monotonic_ns() - f->fork.begin_ns;
    if (error) {
        size_t n = why ? strnlen(why, FROZEN_STATUS_WHY - 1) : 0;
        if (n > 0)
            memcpy(f->status->why, why, n);
        _exit(ERROR);
    }
    f->status->is_complete = 1;
    _exit(0);
}
