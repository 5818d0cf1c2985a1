/* safe_pace.c - how long very short timers wait. SPDX-License-Identifier: Apache-2.0 */
#include "safe/pace.h"
#include <stdbool.h>
#include "cmocka_all.h"

enum { INTERVAL = 10000 };

/* `count` signals, of which each `same`th finds the registers of the one before. */
static void signals(struct pace *p, uint64_t interval, int count, int same)
{
    static uint64_t value;
    for (int i = 1; i <= count; i++) {
        value += !same || i % same != 0;
        const struct regs regs = {.pc = 0x1000, .sp = 0x2000, .r = {[7] = value}};
        uint64_t before = pace_period(p, interval);
        bool is_other = pace_found(p, interval, &regs);
        assert_int_equal(is_other, pace_period(p, interval) != before);
    }
}

static void a_thread_that_goes_on_keeps_its_interval(void **state)
{
    (void)state;
    struct pace p = {0};
    signals(&p, INTERVAL, 10000, 0);
    assert_int_equal(pace_period(&p, INTERVAL), INTERVAL);
    signals(&p, INTERVAL, 10000, 8); /* one of eight may find the same */
    assert_int_equal(pace_period(&p, INTERVAL), INTERVAL);
}

static void a_thread_that_gets_nowhere_has_more_time_from_signal_to_signal(void **state)
{
    (void)state;
    struct pace p = {0};
    signals(&p, INTERVAL, 8, 1);
    assert_in_range(pace_period(&p, INTERVAL), 2 * INTERVAL, 4 * INTERVAL);
    signals(&p, INTERVAL, 1000, 1);
    assert_int_equal(pace_period(&p, INTERVAL), PACE_LONGEST_NS);
    p = (struct pace){0};
    signals(&p, INTERVAL, 1000, 3); /* a third of the signals is enough */
    assert_true(pace_period(&p, INTERVAL) > INTERVAL);
}

static void the_interval_comes_back_when_the_thread_goes_on(void **state)
{
    (void)state;
    struct pace p = {0};
    signals(&p, INTERVAL, 1000, 1);
    signals(&p, INTERVAL, 255, 0);
    assert_int_equal(pace_period(&p, INTERVAL), PACE_LONGEST_NS);
    signals(&p, INTERVAL, 256 * 10, 0);
    assert_int_equal(pace_period(&p, INTERVAL), INTERVAL);
}

static void long_intervals_stay(void **state)
{
    (void)state;
    struct pace p = {0};
    signals(&p, 10 * PACE_LONGEST_NS, 100, 1);
    assert_int_equal(pace_period(&p, 10 * PACE_LONGEST_NS), 10 * PACE_LONGEST_NS);
    p = (struct pace){0};
    signals(&p, 1, 100000, 1);
    assert_int_equal(pace_period(&p, 1), PACE_LONGEST_NS);
}

/* `count` handlers of `took` each. */
static void handlers(struct pace *p, uint64_t interval, int count, uint64_t took)
{
    for (int i = 0; i < count; i++) {
        uint64_t before = pace_period(p, interval);
        bool is_other = pace_took(p, interval, took);
        assert_int_equal(is_other, pace_period(p, interval) != before);
    }
}

static void a_slow_handler_has_a_long_period(void **state)
{
    (void)state;
    struct pace p = {0};
    const uint64_t interval = PACE_LONGEST_NS;
    handlers(&p, interval, 1000, interval / 4);
    assert_int_equal(pace_period(&p, interval), interval);
    handlers(&p, interval, 1000, 3 * interval); /* it has three quarters of the time left */
    assert_int_equal(pace_period(&p, interval), 16 * interval);
    handlers(&p, interval, 1000, interval * 100000);
    assert_int_equal(pace_period(&p, interval), 1024 * interval);
}

static void the_interval_comes_back_when_the_handler_is_quick(void **state)
{
    (void)state;
    struct pace p = {0};
    const uint64_t interval = 2 * PACE_LONGEST_NS;
    handlers(&p, interval, 1, interval);
    handlers(&p, interval, 1000, interval / 4);
    assert_int_equal(pace_period(&p, interval), 2 * interval); /* half would not do */
    handlers(&p, interval, 31, interval / 10);
    assert_int_equal(pace_period(&p, interval), 2 * interval);
    handlers(&p, interval, 1, interval / 10);
    assert_int_equal(pace_period(&p, interval), interval);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_goes_on_keeps_its_interval),
        cmocka_unit_test(a_thread_that_gets_nowhere_has_more_time_from_signal_to_signal),
        cmocka_unit_test(the_interval_comes_back_when_the_thread_goes_on),
        cmocka_unit_test(long_intervals_stay),
        cmocka_unit_test(a_slow_handler_has_a_long_period),
        cmocka_unit_test(the_interval_comes_back_when_the_handler_is_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
