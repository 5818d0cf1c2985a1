/*
 * heap_heaptrend.c - slopes with their intervals, and rows of the same name in several heaps.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaptrend.h"
#include <math.h>
#include "cmocka_all.h"
#include "heap/heapsummary.h"

static void points_on_a_line_have_its_slope_and_no_doubt(void **state)
{
    (void)state;
    const double hours[] = {0, 1, 2, 4}, values[] = {10, 13, 16, 22};
    struct heaptrend_slope s;
    assert_true(heaptrend_slope(hours, values, 4, &s));
    assert_true(fabs(s.per_hour - 3) < 1e-9 && fabs(s.low - 3) < 1e-6 && fabs(s.high - 3) < 1e-6);
}

/* Computed by hand; the quantile of t with two degrees of freedom is 4.303. */
static void points_beside_a_line_have_an_interval(void **state)
{
    (void)state;
    const double hours[] = {0, 1, 2, 3}, values[] = {1, 3, 1, 3};
    struct heaptrend_slope s;
    assert_true(heaptrend_slope(hours, values, 4, &s));
    /* x - mean: -1.5 -0.5 0.5 1.5; xx = 5; xy = -1.5 + -1.5 + 0.5 + 4.5 = 2; rest 4 - 0.4 * 2 */
    assert_true(fabs(s.per_hour - 0.4) < 1e-9);
    double error = sqrt((4 - 0.8) / 2 / 5);
    assert_true(fabs(s.high - (0.4 + 4.303 * error)) < 1e-6);
    assert_true(fabs(s.low - (0.4 - 4.303 * error)) < 1e-6);
}

static void few_points_or_one_moment_have_no_slope(void **state)
{
    (void)state;
    const double hours[] = {0, 1, 2, 3}, same[] = {1, 1, 1, 1}, values[] = {1, 2, 3, 4};
    struct heaptrend_slope s;
    assert_false(heaptrend_slope(hours, values, 3, &s));
    assert_false(heaptrend_slope(same, values, 4, &s));
}

static void a_name_is_one_row_wherever_it_is(void **state)
{
    (void)state;
    struct heapsummary_row first[] = {{"a", 1, 10, 0}, {"c", 1, 30, 0}};
    struct heapsummary_row second[] = {{"b", 1, 20, 0}, {"c", 2, 60, 0}};
    const struct heapsummary_rows rows[] = {{first, 2, 2}, {second, 2, 2}, {NULL, 0, 0}};
    const struct heapsummary_rows *const all[] = {&rows[0], &rows[1], &rows[2]};
    struct heaptrend t;
    assert_int_equal(heaptrend_join(all, 3, &t), 0);
    assert_int_equal(t.count, 3);
    assert_string_equal(t.rows[0].name, "a");
    assert_ptr_equal(t.rows[0].at[0], &first[0]);
    assert_null(t.rows[0].at[1]);
    assert_string_equal(t.rows[2].name, "c");
    assert_ptr_equal(t.rows[2].at[0], &first[1]);
    assert_ptr_equal(t.rows[2].at[1], &second[1]);
    assert_null(t.rows[2].at[2]);
    heaptrend_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_on_a_line_have_its_slope_and_no_doubt),
        cmocka_unit_test(points_beside_a_line_have_an_interval),
        cmocka_unit_test(few_points_or_one_moment_have_no_slope),
        cmocka_unit_test(a_name_is_one_row_wherever_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
