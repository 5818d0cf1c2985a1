/*
 * probe_probe_times.c - durations of pairs: sums, percentiles, powers of two, and their text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_times.h"
#include "cmocka_all.h"

static void test_sums_and_percentiles(void **state)
{
    struct probe_times t = {0};
    (void)state;
    assert_int_equal(probe_times_percentile(&t, 0.5), 0);
    for (uint64_t i = 1; i <= 1000; i++)
        probe_times_add(&t, i * 1000);
    assert_int_equal(t.count, 1000);
    assert_int_equal(t.sum_ns, UINT64_C(500500000));
    assert_int_equal(t.least_ns, 1000);
    assert_int_equal(t.most_ns, 1000000);
    uint64_t p50 = probe_times_percentile(&t, 0.5), p99 = probe_times_percentile(&t, 0.99);
    assert_in_range(p50, 500000, 595000);
    assert_in_range(p99, 990000, 1000000);
    assert_int_equal(probe_times_percentile(&t, 1), 1000000);
}

static void test_every_duration_has_its_power_of_two(void **state)
{
    static const struct {
        uint64_t ns;
        unsigned power;
    } rows[] = {{0, 0},          {1, 0}, {2, 1},    {3, 1},     {4, 2},
                {7, 2},          {8, 3}, {1023, 9}, {1024, 10}, {UINT64_C(1) << 62, 62},
                {UINT64_MAX, 63}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct probe_times t = {0};
        probe_times_add(&t, rows[i].ns);
        assert_int_equal(probe_times_of_power(&t, rows[i].power), 1);
        assert_int_equal(probe_times_percentile(&t, 0.5), rows[i].ns);
    }
}

static void test_a_duration_is_written_with_the_unit_that_fits(void **state)
{
    static const struct {
        uint64_t ns;
        const char *text;
    } rows[] = {{0, "0 ns"},
                {999, "999 ns"},
                {1000, "1.00 us"},
                {12345, "12.3 us"},
                {999999, "1.00 ms"},
                {1234567, "1.23 ms"},
                {UINT64_C(123456789), "123 ms"},
                {UINT64_C(99999999999), "100 s"}};
    char text[32];
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        probe_times_text(text, sizeof(text), rows[i].ns);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_and_percentiles),
        cmocka_unit_test(test_every_duration_has_its_power_of_two),
        cmocka_unit_test(test_a_duration_is_written_with_the_unit_that_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
