/*
 * safe_bell.c - a bell is heard by the one who waits, whoever rings and whenever.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/bell.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include "cmocka_all.h"
#include "safe/clock.h"

enum { LONG_MS = 60000, SIGNALS = 20 };

static struct bell bell;
static _Atomic int handled;

static void on_silent(int signal)
{
    (void)signal;
    handled++;
}

static void on_ring(int signal)
{
    (void)signal;
    errno = EBADF;
    bell_ring(&bell);
    if (errno == EBADF)
        handled++;
}

static int set_up(void **state)
{
    (void)state;
    bell = (struct bell){0};
    handled = 0;
    return 0;
}

static void a_ring_is_kept_and_several_are_one(void **state)
{
    (void)state;
    bell_ring(&bell);
    bell_ring(&bell);
    assert_int_equal(bell_wait(&bell, 0), 1);
    assert_int_equal(bell_wait(&bell, 0), 0);
}

static void a_wait_ends_when_its_time_is_over(void **state)
{
    uint64_t from = clock_monotonic_ns();
    (void)state;
    assert_int_equal(bell_wait(&bell, 1020), 0);
    assert_true(clock_monotonic_ns() - from >= 1020 * UINT64_C(1000000));
}

static void *ring(void *unused)
{
    bell_ring(&bell);
    return unused;
}

static void another_thread_is_heard(void **state)
{
    pthread_t thread;
    (void)state;
    for (int i = 0; i < 200; i++) {
        assert_int_equal(pthread_create(&thread, NULL, ring, NULL), 0);
        assert_int_equal(bell_wait(&bell, LONG_MS), 1);
        pthread_join(thread, NULL);
        assert_int_equal(bell_wait(&bell, 0), 0);
    }
}

static pthread_t waiter;

/* Signals that do not ring, then one that does. */
static void *send_signals(void *unused)
{
    for (int i = 0; i < SIGNALS; i++) {
        pthread_kill(waiter, SIGUSR1);
        while (handled <= i)
            usleep(100);
    }
    pthread_kill(waiter, SIGUSR2);
    return unused;
}

static void a_handler_may_ring_and_other_signals_do_not_end_the_wait(void **state)
{
    pthread_t thread;
    (void)state;
    waiter = pthread_self();
    signal(SIGUSR1, on_silent);
    signal(SIGUSR2, on_ring);
    assert_int_equal(pthread_create(&thread, NULL, send_signals, NULL), 0);
    assert_int_equal(bell_wait(&bell, LONG_MS), 1);
    pthread_join(thread, NULL);
    assert_int_equal(handled, SIGNALS + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_ring_is_kept_and_several_are_one, set_up),
        cmocka_unit_test_setup(a_wait_ends_when_its_time_is_over, set_up),
        cmocka_unit_test_setup(another_thread_is_heard, set_up),
        cmocka_unit_test_setup(a_handler_may_ring_and_other_signals_do_not_end_the_wait, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
