/*
 * base_rate.c - which things of a burst are looked at.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "base/rate.h"
#include <math.h>

enum { BURST = 100000, WINDOW_NS = 10000000, WHOLE = 25 };

static void few_are_taken_all(void **state)
{
    struct rate r = {.window_ns = WINDOW_NS, .whole = WHOLE};
    for (uint64_t window = 1; window < 100; window++)
        for (uint64_t i = 0; i < WHOLE; i++)
            assert_int_equal(rate_take(&r, window * WINDOW_NS + i), 1);
}

/* The weights of BURST things add up to their number: the variance of the n-th is at most
 * n / WHOLE, so that of the sum is BURST * BURST / (2 * WHOLE). */
static void a_burst_is_right_on_average_and_costs_little(void **state)
{
    struct rate r = {.window_ns = WINDOW_NS, .whole = WHOLE};
    uint64_t sum = 0, taken = 0;
    for (int i = 0; i < BURST; i++) {
        uint32_t weight = rate_take(&r, WINDOW_NS);
        sum += weight;
        taken += weight > 0;
    }
    /* One standard deviation is 14 % of the sum; the state begins at 0, so this is one fixed draw.
     */
    assert_in_range(sum, BURST / 2, BURST * 3 / 2);
    assert_in_range(taken, WHOLE, BURST / 100);
}

static void a_new_window_begins_anew(void **state)
{
    struct rate r = {.window_ns = WINDOW_NS, .whole = WHOLE};
    for (int i = 0; i < BURST; i++)
        rate_take(&r, WINDOW_NS);
    assert_int_equal(rate_take(&r, 2 * (uint64_t)WINDOW_NS), 1);
}

static void a_rate_that_learns_is_a_bound(void **state)
{
    static const double rates[] = {0.5, 3, 15, 150};
    enum { SECONDS = 60, THINGS_A_SECOND = 20000 };
    const uint64_t step_ns = 1000000000 / THINGS_A_SECOND;
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        double sum = 0, taken = 0, most = rates[i] * SECONDS;
        struct rate r;
        rate_init(&r, rates[i]);
        for (uint64_t n = 1; n <= (uint64_t)SECONDS * THINGS_A_SECOND; n++) {
            uint32_t weight = rate_take(&r, n * step_ns);
            sum += weight;
            taken += weight > 0;
        }
        /* The first window takes as many as the logarithm says. */
        assert_true(taken > most / 2 && taken < 1.2 * most + 12 * (double)r.whole);
        /* Some 30 are taken of the least rate: a standard deviation of 18 %. */
        assert_true(sum > SECONDS * THINGS_A_SECOND / 2.0 && sum < SECONDS * THINGS_A_SECOND * 2.0);
    }
}

static void what_is_learned_is_forgotten(void **state)
{
    struct rate r;
    rate_init(&r, 10);
    for (int i = 0; i < BURST; i++)
        rate_take(&r, 0);
    assert_in_range(rate_weight(&r, r.window_ns, 1), BURST / 2, BURST * 2);
    assert_int_equal(rate_weight(&r, 40 * r.window_ns, 1), 1);
}

static void without_a_bound_all_are_taken(void **state)
{
    struct rate r;
    rate_init(&r, HUGE_VAL);
    for (int i = 0; i < BURST; i++)
        assert_int_equal(rate_take(&r, WINDOW_NS), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_are_taken_all),
        cmocka_unit_test(a_burst_is_right_on_average_and_costs_little),
        cmocka_unit_test(a_new_window_begins_anew),
        cmocka_unit_test(a_rate_that_learns_is_a_bound),
        cmocka_unit_test(what_is_learned_is_forgotten),
        cmocka_unit_test(without_a_bound_all_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
