/* safe_pace.c - how long very short timers wait. SPDX-License-Identifier: Apache-2.0 */
#include "safe/pace.h"
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
        int is_other = pace_found(p, interval, &regs);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_goes_on_keeps_its_interval),
        cmocka_unit_test(a_thread_that_gets_nowhere_has_more_time_from_signal_to_signal),
        cmocka_unit_test(the_interval_comes_back_when_the_thread_goes_on),
        cmocka_unit_test(long_intervals_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
