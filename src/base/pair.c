/*
 * pair.c - see pair.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/pair.h"
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>

enum {
    STACK = 256 * 1024,
    GUARD = 64 * 1024, /* a gap below the stack; no page size is larger */
    POLL_NS = 20000,
};

struct member {
    pair_work *work;
    void *arg;
};

/* This code waits without a futex: a filter of system calls in the child may forbid futex. */
static void wait_a_little(void)
{
    static const struct timespec little = {.tv_nsec = POLL_NS};
    nanosleep(&little, NULL);
}

static int run_second(void *arg)
{
    const struct member *m = arg;
    m->work(m->arg, 1);
    return 0;
}

static bool has_two_cpus(void)
{
    cpu_set_t set;
    /* The call fails if there are more CPUs than the set can name; then there are at least two. */
    return sched_getaffinity(0, sizeof(set), &set) != 0 || CPU_COUNT(&set) > 1;
}

/* Sanitizers keep their own state in thread-local storage, which two threads cannot share. */
static bool may_start(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#elif defined(__has_feature)
    return !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) &&
           !__has_feature(memory_sanitizer) && has_two_cpus();
#else
    return has_two_cpus();
#endif
}

void pair_run(pair_work *work, void *arg)
{
    static const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                             CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
    struct member second = {work, arg};
    atomic_int is_running = true; /* the kernel sets it to 0 when the thread ends */
    char *stack = may_start() ? mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)
                              : MAP_FAILED;
    if (stack != MAP_FAILED &&
        (mprotect(stack, GUARD, PROT_NONE) != 0 ||
         clone(run_second, stack + GUARD + STACK, flags, &second, NULL, NULL, &is_running) < 0)) {
        munmap(stack, GUARD + STACK);
        stack = MAP_FAILED;
    }
    work(arg, 0);
    if (stack == MAP_FAILED) {
        work(arg, 1);
        return;
    }
    while (atomic_load(&is_running))
        wait_a_little();
    munmap(stack, GUARD + STACK);
}

void pair_take(struct pair_lock *l)
{
    while (l && atomic_exchange(&l->is_taken, 1))
        wait_a_little();
}

void pair_give(struct pair_lock *l)
{
    if (l)
        atomic_store(&l->is_taken, 0);
}
