/*
 * process_task_times.c - the CPU time of each thread of a process, between two readings.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "emulated.h"
#include "process/task_times.h"
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000, BUSY_NS = 60 * MS, TICK_NS = 10 * MS };

struct worker {
    pthread_t thread;
    _Atomic pid_t tid;
    int go[2];
    int done[2];
};

static uint64_t own_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec;
}

/* Uses CPU time once it is told to, and lives until it is told again. */
static void *work(void *arg)
{
    struct worker *w = arg;
    char byte;
    w->tid = (pid_t)syscall(SYS_gettid);
    if (write(w->done[1], "x", 1) != 1 || read(w->go[0], &byte, 1) != 1)
        return NULL;
    for (uint64_t start = own_cpu_ns(); own_cpu_ns() - start < BUSY_NS;)
        ;
    return write(w->done[1], "x", 1) == 1 && read(w->go[0], &byte, 1) == 1 ? w : NULL;
}

static void a_busy_thread_is_told_from_an_idle_one(void **state)
{
    struct worker busy = {.tid = 0}, idle = {.tid = 0};
    struct worker *both[] = {&busy, &idle};
    struct task_times before, now;
    char byte;
    (void)state;
    not_emulated("it has threads of its own in each process");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pipe(both[i]->go) | pipe(both[i]->done), 0);
        assert_int_equal(pthread_create(&both[i]->thread, NULL, work, both[i]), 0);
        assert_int_equal(read(both[i]->done[0], &byte, 1), 1);
    }
    assert_int_equal(task_times_read(getpid(), &before), 0);
    assert_int_equal(before.count, 3);
    assert_int_equal(write(busy.go[1], "x", 1), 1);
    assert_int_equal(read(busy.done[0], &byte, 1), 1);
    assert_int_equal(task_times_read(getpid(), &now), 0);
    /* A kernel without schedstats counts whole ticks. */
    assert_true(task_times_used_ns(&before, &now, busy.tid) >= BUSY_NS - 2 * TICK_NS);
    assert_true(task_times_used_ns(&before, &now, idle.tid) <= TICK_NS);
    assert_int_equal(task_times_used_ns(&before, &now, -1), 0);
    task_times_done(&before);
    task_times_done(&now);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(write(both[i]->go[1], "xx", 2), 2);
        assert_int_equal(pthread_join(both[i]->thread, NULL), 0);
    }
}

static void the_whole_has_the_time_of_threads_that_ended(void **state)
{
    struct worker w = {.tid = 0};
    uint64_t before_ns, now_ns;
    char byte;
    (void)state;
    assert_int_equal(task_times_whole_ns(getpid(), &before_ns), 0);
    assert_int_equal(pipe(w.go) | pipe(w.done), 0);
    assert_int_equal(pthread_create(&w.thread, NULL, work, &w), 0);
    assert_int_equal(write(w.go[1], "xx", 2), 2);
    assert_int_equal(read(w.done[0], &byte, 1), 1);
    assert_int_equal(pthread_join(w.thread, NULL), 0);
    assert_int_equal(task_times_whole_ns(getpid(), &now_ns), 0);
    assert_true(now_ns - before_ns >= BUSY_NS);
}

static void a_number_that_was_given_again_counts_from_0(void **state)
{
    struct task_time old[] = {{7, 900}, {9, 50}}, young[] = {{7, 30}, {9, 60}, {11, 5}};
    struct task_times before = {old, 2}, now = {young, 3};
    (void)state;
    assert_int_equal(task_times_used_ns(&before, &now, 7), 30);
    assert_int_equal(task_times_used_ns(&before, &now, 9), 10);
    assert_int_equal(task_times_used_ns(&before, &now, 11), 5);
}

static void a_process_that_is_not_there_is_said(void **state)
{
    struct task_times none;
    (void)state;
    uint64_t whole_ns;
    assert_int_equal(task_times_whole_ns(0x3fffffff, &whole_ns), -ESRCH);
    assert_int_equal(task_times_read(0x3fffffff, &none), -ESRCH);
    task_times_done(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_busy_thread_is_told_from_an_idle_one),
        cmocka_unit_test(the_whole_has_the_time_of_threads_that_ended),
        cmocka_unit_test(a_number_that_was_given_again_counts_from_0),
        cmocka_unit_test(a_process_that_is_not_there_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
