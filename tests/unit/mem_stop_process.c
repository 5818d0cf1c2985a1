/* mem_stop_process.c - processes that are stopped and go on. SPDX-License-Identifier: Apache-2.0 */
#include "mem/mem_stop.h"
#include "cmocka_all.h"
#include "emulated.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "safe/clock.h"

enum {
    /* So often a signal has to come just when its thread is being stopped: chance, and one that is
     * lost shows. */
    HITS = 2,
    DEADLINE_S = 60,
};

/* So many signals may wait: all processes of a user share the limit of those (RLIMIT_SIGPENDING),
 * and a test beside this one that makes a timer needs one, too. */
enum { WAITING_MAX = 64 };

/* What the processes have in common. */
static struct shared {
    volatile uint32_t got, sent;
    volatile pid_t to;
    volatile bool is_ready, is_enough, is_over;
} * shared;

static int set_up(void **state)
{
    (void)state;
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    return munmap(shared, sizeof(*shared));
}

static pid_t start(void (*body)(void))
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        body();
        _exit(0);
    }
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* In the nanoseconds of clock_monotonic_ns(). */
static uint64_t deadline(void)
{
    return clock_monotonic_ns() + DEADLINE_S * UINT64_C(1000000000);
}

/* 0, or the test is skipped: some sandboxes forbid ptrace. */
static int stop(struct mem_live *live, struct mem_stop *ret_stop)
{
    int error = mem_stop_all(live, NULL, ret_stop);
    if (error == -EPERM)
        skip();
    return error;
}

static void count_signal(int number)
{
    (void)number;
    shared->got++;
}

static void count_signals(void)
{
    signal(SIGRTMIN, count_signal);
    shared->is_ready = 1;
    while (!shared->is_over)
        ;
    nap(); /* the last one may be on its way to this CPU: it is handled before a system call ends */
}

/* Signals of this kind are queued: each that is lost is missing in the end. */
static void send_signals(void)
{
    while (!shared->is_enough) {
        if (shared->sent - shared->got < WAITING_MAX &&
            sigqueue(shared->to, SIGRTMIN, (union sigval){0}) == 0)
            shared->sent++;
        else
            sched_yield();
    }
    shared->is_over = 1;
}

static void no_signal_is_lost_when_a_process_is_stopped(void **state)
{
    struct mem_live live;
    struct mem_stop stopped;
    uint64_t until = deadline();
    int hits = 0;
    (void)state;
    not_emulated("it has no ptrace");
    shared->to = start(count_signals);
    while (!shared->is_ready)
        nap();
    assert_int_equal(mem_live_open(shared->to, &live), 0);
    pid_t sender = start(send_signals);
    while (hits < HITS && clock_monotonic_ns() < until) {
        assert_int_equal(stop(&live, &stopped), 0);
        hits += stopped.threads[0].signal == SIGRTMIN;
        mem_stop_end(&stopped);
    }
    shared->is_enough = 1;
    assert_int_equal(waitpid(sender, NULL, 0), sender);
    assert_int_equal(waitpid(shared->to, NULL, 0), shared->to);
    assert_int_equal(hits, HITS);
    assert_int_equal(shared->got, shared->sent);
    mem_live_close(&live);
}

static void *stay(void *unused)
{
    shared->got = 4711;
    shared->is_ready = 1;
    while (shared->to == 0)
        pause();
    return unused;
}

static void leave_a_thread_behind(void)
{
    pthread_t second;
    if (pthread_create(&second, NULL, stay, NULL) == 0)
        pthread_exit(NULL);
}

static void a_process_outlives_its_first_thread(void **state)
{
    struct mem_live live;
    struct mem_stop stopped;
    uint32_t value = 0;
    uint64_t until = deadline();
    (void)state;
    not_emulated("it has no ptrace");
    pid_t pid = start(leave_a_thread_behind);
    while (clock_monotonic_ns() < until && !(shared->is_ready && mem_live_has_ended(pid, pid)))
        nap();
    assert_int_equal(mem_live_open(pid, &live), 0);
    assert_true(live.image.map_count > 0);
    assert_int_equal(live.image.thread_count, 1);
    assert_int_equal(mem_read(&live.mem, (uint64_t)&shared->got, &value, sizeof(value)), 0);
    assert_int_equal(value, 4711);
    assert_int_equal(stop(&live, &stopped), 0);
    assert_int_equal(live.image.thread_count, 1);
    assert_int_not_equal(live.image.threads[0].tid, pid);
    assert_true(live.image.threads[0].has_regs);
    mem_stop_end(&stopped);
    mem_live_close(&live);
    end(pid);
}

static void *rest(void *unused)
{
    while (!unused)
        pause();
    return unused;
}

static void run_with_threads(void)
{
    pthread_t thread;
    for (int i = 0; i < 4; i++)
        pthread_create(&thread, NULL, rest, NULL);
    shared->is_ready = 1;
    rest(NULL);
}

static void a_zombie_is_no_process(void **state)
{
    struct mem_live live;
    struct mem_stop stopped;
    uint64_t until = deadline();
    (void)state;
    not_emulated("it has no ptrace");
    pid_t pid = start(run_with_threads);
    while (!shared->is_ready)
        nap();
    assert_int_equal(mem_live_open(pid, &live), 0);
    kill(pid, SIGKILL);
    /* At some point on its way out, or after: no wait for what cannot stop any more. */
    int error = mem_stop_all(&live, NULL, &stopped);
    if (error == 0)
        mem_stop_end(&stopped);
    else if (error != -EPERM)
        assert_int_equal(error, -ESRCH);
    mem_live_close(&live);
    while (clock_monotonic_ns() < until && !mem_live_has_ended(pid, pid))
        nap();
    assert_int_equal(mem_live_open(pid, &live), -ESRCH);
    mem_live_close(&live);
    waitpid(pid, NULL, 0); /* unless the stop has heard of its end already */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_signal_is_lost_when_a_process_is_stopped, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_process_outlives_its_first_thread, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_zombie_is_no_process, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
