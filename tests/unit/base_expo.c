/* base_expo.c - exponential, logarithm, square root. SPDX-License-Identifier: Apache-2.0 */
#include "base/expo.h"
#include "cmocka_all.h"

static void assert_near(double found, double expected)
{
    double distance = found > expected ? found - expected : expected - found;
    assert_true(distance <= 1e-12 * (expected < 0 ? -expected : expected));
}

/* Reference values to 15 digits, from a table of the functions. */
static void known_values_come_out(void **state)
{
    (void)state;
    assert_near(expo_hit(1), 0.632120558828557678);
    assert_near(expo_hit(0.5), 0.393469340287366577);
    assert_near(expo_hit(10), 0.999954600070237515);
    assert_near(expo_log(2), 0.693147180559945309);
    assert_near(expo_log(1e-10), -23.0258509299404568);
    assert_near(expo_log(0.999), -0.00100050033358353351);
    assert_near(expo_sqrt(2), 1.41421356237309505);
    assert_near(expo_sqrt(1e20), 1e10);
}

static void small_arguments_lose_nothing(void **state)
{
    (void)state;
    assert_near(expo_hit(1e-9), 1e-9 - 0.5e-18);
    assert_near(expo_hit(3e-5), 2.99995500044999663e-05);
    assert_true(expo_hit(0) == 0);
}

static void ends_of_the_range_are_taken(void **state)
{
    (void)state;
    assert_true(expo_hit(1e6) == 1);
    assert_true(expo_sqrt(0) == 0);
    assert_near(expo_log(1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values_come_out),
        cmocka_unit_test(small_arguments_lose_nothing),
        cmocka_unit_test(ends_of_the_range_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
