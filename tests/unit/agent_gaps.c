/*
 * agent_gaps.c - a timer that stands still while its thread runs. The clock is that of this thread;
 * the timer and the counts of missed time are the test's.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/sampling/gaps.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "agent/timer/timer.h"
#include "cmocka_all.h"
#include "safe/clock.h"
#include "safe/tick.h"

enum { MANY = 100, A_LOOK = 64, INTERVAL_NS = 1000000, LONG_NS = 120000000, DUE_NS = 77 };

static struct tick_slot all[MANY];
static struct tick tick;
static uint32_t high, at;
static int restarts, misses;
static enum tick_miss missed_why;

static void restart(struct tick_slot *slot)
{
    (void)slot;
    restarts++;
}

static const struct timer_source still = {.name = "still", .restart = restart};
const struct timer_source *const timer_all[] = {&still, NULL};

void tick_miss(struct tick *t, struct tick_slot *slot, int64_t now_ns, enum tick_miss why)
{
    assert_ptr_equal(t, &tick);
    assert_true(now_ns > 0);
    atomic_store(&slot->due_ns, now_ns);
    missed_why = why;
    misses++;
}

static int set_up(void **state)
{
    (void)state;
    memset(all, 0, sizeof(all));
    tick.slots = all;
    high = 1;
    at = 0;
    restarts = misses = 0;
    missed_why = TICK_NOT_MISSED;
    for (int i = 0; i < MANY; i++) {
        all[i] =
            (struct tick_slot){.tid = (int32_t)syscall(SYS_gettid), .interval_ns = INTERVAL_NS};
        all[i].timer.is_armed = 1;
        all[i].timer.signal = SIGPROF;
        atomic_store(&all[i].timer.fd, -1);
        atomic_store(&all[i].used, 1);
        atomic_store(&all[i].due_ns, DUE_NS);
    }
    return 0;
}

/* A look that sees the slot as it is, then CPU time enough that a timer which stands is noticed. */
static void look_and_run(void)
{
    at = gaps_look(&tick, high, at);
    for (uint64_t end = clock_thread_cpu_ns() + LONG_NS; clock_thread_cpu_ns() < end;)
        continue;
}

static void assert_missed(int count, enum tick_miss why, int restarted)
{
    assert_int_equal(misses, count);
    assert_int_equal(missed_why, why);
    assert_int_equal(restarts, restarted);
}

static void a_timer_whose_signal_was_lost_is_started_again(void **state)
{
    (void)state;
    look_and_run();
    at = gaps_look(&tick, high, at);
    assert_missed(1, TICK_SIGNAL_LOST, 1);
}

static void a_thread_that_has_hardly_run_has_missed_nothing(void **state)
{
    (void)state;
    look_and_run();
    at = gaps_look(&tick, high, at);
    at = gaps_look(&tick, high, at);
    assert_missed(1, TICK_SIGNAL_LOST, 1);
}

/* The same, and the look that notices, in a thread that blocks the signal. */
static void look_and_run_blocked(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    look_and_run();
    at = gaps_look(&tick, high, at);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void a_blocked_signal_has_a_cause_of_its_own(void **state)
{
    (void)state;
    look_and_run_blocked();
    assert_missed(1, TICK_SIGNAL_BLOCKED, 0);
}

static int counts_on(void)
{
    const uint64_t counts[] = {1, 2};
    int fd = memfd_create("counts", 0);
    assert_true(fd >= 0 && write(fd, counts, sizeof(counts)) == sizeof(counts));
    lseek(fd, 0, SEEK_SET);
    atomic_store(&all[0].timer.fd, fd);
    return fd;
}

static void a_blocked_signal_is_missed_though_the_event_goes_on(void **state)
{
    int fd = counts_on();
    (void)state;
    look_and_run_blocked();
    close(fd);
    assert_missed(1, TICK_SIGNAL_BLOCKED, 0);
}

static void a_timer_whose_signals_come_is_left_alone(void **state)
{
    (void)state;
    look_and_run();
    atomic_fetch_add(&all[0].due_ns, INTERVAL_NS);
    at = gaps_look(&tick, high, at);
    assert_missed(0, TICK_NOT_MISSED, 0);
}

static void a_perf_event_that_counts_on_is_left_alone(void **state)
{
    int fd = counts_on();
    (void)state;
    look_and_run();
    at = gaps_look(&tick, high, at);
    close(fd);
    assert_missed(0, TICK_NOT_MISSED, 0);
}

static void what_has_no_timer_is_passed_over(void **state)
{
    (void)state;
    all[0].timer.is_armed = 0;
    look_and_run();
    at = gaps_look(&tick, high, at);
    gaps_end(&tick, &all[0]);
    assert_missed(0, TICK_NOT_MISSED, 0);
}

static void many_slots_take_several_looks(void **state)
{
    int seen[3] = {0};
    (void)state;
    high = MANY;
    for (int look = 0; look < 3; look++) {
        at = gaps_look(&tick, high, at);
        for (int i = 0; i < MANY; i++)
            seen[look] += all[i].looked.due_ns == DUE_NS;
    }
    assert_int_equal(seen[0], A_LOOK);
    assert_int_equal(seen[1], MANY);
    assert_true(at < MANY);
}

static void what_is_due_when_the_handler_works_again_is_missed(void **state)
{
    (void)state;
    gaps_end(&tick, &all[0]);
    assert_missed(1, TICK_SIGNAL_LOST, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_timer_whose_signal_was_lost_is_started_again, set_up),
        cmocka_unit_test_setup(a_thread_that_has_hardly_run_has_missed_nothing, set_up),
        cmocka_unit_test_setup(a_blocked_signal_has_a_cause_of_its_own, set_up),
        cmocka_unit_test_setup(a_blocked_signal_is_missed_though_the_event_goes_on, set_up),
        cmocka_unit_test_setup(a_timer_whose_signals_come_is_left_alone, set_up),
        cmocka_unit_test_setup(a_perf_event_that_counts_on_is_left_alone, set_up),
        cmocka_unit_test_setup(what_has_no_timer_is_passed_over, set_up),
        cmocka_unit_test_setup(many_slots_take_several_looks, set_up),
        cmocka_unit_test_setup(what_is_due_when_the_handler_works_again_is_missed, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
