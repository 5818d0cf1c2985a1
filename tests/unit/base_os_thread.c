/*
 * base_os_thread.c - what the kernel says of a thread: its state, its signals, its CPU time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "emulated.h"
#include "base/os_thread.h"
#include "base/proc_ids.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define BIT(signal) ((uint64_t)1 << ((signal)-1))

struct sleeper {
    pthread_t thread;
    _Atomic pid_t tid;
    int wake[2];
};

static void *sleep_blocked(void *arg)
{
    struct sleeper *s = arg;
    sigset_t set;
    char byte;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_kill(pthread_self(), SIGUSR2);
    atomic_store(&s->tid, (pid_t)syscall(SYS_gettid));
    return read(s->wake[0], &byte, 1) == 1 ? s : NULL;
}

static void a_sleeping_thread_says_what_it_blocks_and_what_waits(void **state)
{
    struct sleeper s = {.tid = 0};
    struct os_thread_status now = {0};
    (void)state;
    assert_int_equal(pipe(s.wake), 0);
    assert_int_equal(pthread_create(&s.thread, NULL, sleep_blocked, &s), 0);
    for (int i = 0; i < 5000 && now.state != 'S'; i++) {
        usleep(1000);
        if (atomic_load(&s.tid) != 0)
            assert_int_equal(os_thread_read_status(s.tid, &now), 0);
    }
    assert_int_equal(now.state, 'S');
    assert_true((now.blocked & (BIT(SIGUSR1) | BIT(SIGUSR2))) == (BIT(SIGUSR1) | BIT(SIGUSR2)));
    assert_true((now.blocked & BIT(SIGALRM)) == 0);
    assert_true((now.pending & BIT(SIGUSR2)) != 0);
    assert_true((now.pending & BIT(SIGUSR1)) == 0);
    assert_false(os_thread_is_gone(s.tid));
    assert_int_equal(write(s.wake[1], "x", 1), 1);
    assert_int_equal(pthread_join(s.thread, NULL), 0);
    for (int i = 0; i < 5000 && !os_thread_is_gone(s.tid); i++) /* the kernel takes its time */
        usleep(1000);
    assert_int_equal(os_thread_read_status(s.tid, &now), -ESRCH);
    assert_int_equal(os_thread_cpu_ns(s.tid), 0);
}

static void a_threads_cpu_time_is_that_of_its_own_clock(void **state)
{
    struct timespec before, after;
    volatile unsigned x = 0;
    (void)state;
    for (unsigned i = 0; i < 1000000; i++)
        x += i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    uint64_t ns = os_thread_cpu_ns((pid_t)syscall(SYS_gettid));
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    assert_in_range(ns, (uint64_t)before.tv_sec * 1000000000u + (uint64_t)before.tv_nsec,
                    (uint64_t)after.tv_sec * 1000000000u + (uint64_t)after.tv_nsec);
}

static void the_list_has_this_thread_once_and_its_name(void **state)
{
    size_t count = 0;
    int32_t tid = (int32_t)syscall(SYS_gettid), *tids = os_thread_list(&count);
    char name[OS_THREAD_NAME_BYTES];
    (void)state;
    assert_non_null(tids);
    assert_non_null(bsearch(&tid, tids, count, sizeof(*tids), os_thread_order));
    for (size_t i = 1; i < count; i++)
        assert_true(tids[i - 1] < tids[i]);
    free(tids);
    assert_int_equal(prctl(PR_SET_NAME, "one of us"), 0);
    os_thread_name(tid, name);
    assert_string_equal(name, "one of us");
    os_thread_name(-1, name);
    assert_string_equal(name, "");
}

static void threads_are_listed_of_processes_that_there_are(void **state)
{
    struct proc_ids p;
    pid_t id, tid = (pid_t)syscall(SYS_gettid);
    int pipes[2], child_tids = 0;
    (void)state;
    not_emulated("it has threads of its own in each process");
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        _exit(read(pipes[0], &byte, 1) == 1 ? 0 : 1);
    }
    assert_int_equal(proc_ids_open_threads(child, &p), 0);
    while ((id = proc_ids_next(&p)) != 0) {
        assert_int_equal(id, child);
        child_tids++;
    }
    proc_ids_close(&p);
    assert_int_equal(child_tids, 1);
    assert_int_equal(proc_ids_open_threads(0, &p), 0);
    while ((id = proc_ids_next(&p)) != 0 && id != tid)
        ;
    proc_ids_close(&p);
    assert_int_equal(id, tid);
    assert_int_equal(proc_ids_open_processes(&p), 0);
    while ((id = proc_ids_next(&p)) != 0 && id != child)
        ;
    proc_ids_close(&p);
    assert_int_equal(id, child);
    assert_int_equal(write(pipes[1], "x", 1), 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(proc_ids_open_threads(child, &p), -ESRCH);
}

static void *look_at_itself(void *ret_status)
{
    return os_thread_read_status((pid_t)syscall(SYS_gettid), ret_status) == 0 ? ret_status : NULL;
}

static void a_started_thread_leaves_signals_to_others_but_for_its_own_faults(void **state)
{
    struct os_thread_status of_it, before, after;
    pthread_t thread;
    void *seen = NULL;
    (void)state;
    (void)look_at_itself(&before);
    assert_int_equal(os_thread_start(&thread, "one of ours", look_at_itself, &of_it), 0);
    assert_int_equal(pthread_join(thread, &seen), 0);
    assert_ptr_equal(seen, &of_it);
    (void)look_at_itself(&after);
    assert_int_equal(after.blocked, before.blocked);
    uint64_t others = BIT(SIGTERM) | BIT(SIGPROF) | BIT(SIGPIPE);
    assert_int_equal(of_it.blocked & others, others);
    assert_int_equal(of_it.blocked & (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sleeping_thread_says_what_it_blocks_and_what_waits),
        cmocka_unit_test(a_threads_cpu_time_is_that_of_its_own_clock),
        cmocka_unit_test(the_list_has_this_thread_once_and_its_name),
        cmocka_unit_test(threads_are_listed_of_processes_that_there_are),
        cmocka_unit_test(a_started_thread_leaves_signals_to_others_but_for_its_own_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
