/*
 * agent_exception_rate.c - which exceptions of a burst are looked at.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/exception/exception_rate.h"
#include "cmocka_all.h"

enum { BURST = 100000 };

static void few_exceptions_are_taken_all(void **state)
{
    struct exception_rate r = {0};

    for (uint64_t window = 1; window < 100; window++)
        for (uint64_t i = 0; i < EXCEPTION_RATE_WHOLE; i++)
            assert_int_equal(exception_rate_take(&r, window * EXCEPTION_RATE_WINDOW_NS + i), 1);
}

/* The weights of BURST exceptions add up to their number: the variance of the n-th is at most
 * n / EXCEPTION_RATE_WHOLE, so that of the sum is BURST * BURST / (2 * EXCEPTION_RATE_WHOLE). */
static void a_burst_is_right_on_average_and_costs_little(void **state)
{
    struct exception_rate r = {0};
    uint64_t sum = 0, taken = 0;

    for (int i = 0; i < BURST; i++) {
        uint32_t weight = exception_rate_take(&r, EXCEPTION_RATE_WINDOW_NS);

        sum += weight;
        taken += weight > 0;
    }
    /* One standard deviation is 14 % of the sum; the state begins at 0, so this is one fixed draw.
     */
    assert_in_range(sum, BURST / 2, BURST * 3 / 2);
    assert_in_range(taken, EXCEPTION_RATE_WHOLE, BURST / 100);
}

static void a_new_window_begins_anew(void **state)
{
    struct exception_rate r = {0};

    for (int i = 0; i < BURST; i++)
        exception_rate_take(&r, EXCEPTION_RATE_WINDOW_NS);
    assert_int_equal(exception_rate_take(&r, 2 * (uint64_t)EXCEPTION_RATE_WINDOW_NS), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_exceptions_are_taken_all),
        cmocka_unit_test(a_burst_is_right_on_average_and_costs_little),
        cmocka_unit_test(a_new_window_begins_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
