/* base_units.c - durations and sizes. SPDX-License-Identifier: Apache-2.0 */
#include "base/units.h"
#include "base/err.h"
#include "cmocka_all.h"

/* One row a text: what it is as a duration with bare milliseconds, or the error. */
static void durations_have_units_and_a_bare_number_has_the_default(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int error;
        uint64_t ns;
    } rows[] = {
        {"10", 0, 10000000},
        {"500us", 0, 500000},
        {"1ms", 0, 1000000},
        {"2s", 0, 2000000000},
        {"3min", 0, 180000000000},
        {"2h", 0, 7200000000000},
        {"1d", 0, 86400000000000},
        {"100ns", 0, 100},
        {"0", 0, 0},
        {"007", 0, 7000000},
        {"9223372036854775807ns", 0, INT64_MAX},
        {"9223372036854775808ns", E_RANGE, 0},
        {"9223372036854", 0, 9223372036854000000},
        {"9223372036855", E_RANGE, 0},
        {"99999999999999999999999999", E_RANGE, 0},
        {"99999999999999999999999999x", E_SYNTAX, 0},
        {"", E_SYNTAX, 0},
        {"ms", E_SYNTAX, 0},
        {"-1", E_SYNTAX, 0},
        {"+1", E_SYNTAX, 0},
        {" 1", E_SYNTAX, 0},
        {"1 ms", E_SYNTAX, 0},
        {"1.5ms", 0, 1500000},
        {"1.7s", 0, 1700000000},
        {"0.5", 0, 500000},
        {"0.1d", 0, 8640000000000},
        {"1.0000000019s", 0, 1000000001},
        {"1.9ns", 0, 1},
        {"1.", E_SYNTAX, 0},
        {"1.s", E_SYNTAX, 0},
        {".5s", E_SYNTAX, 0},
        {"1.5.5s", E_SYNTAX, 0},
        {"106751.995d", E_RANGE, 0},
        {"0x10", E_SYNTAX, 0},
        {"1MS", E_SYNTAX, 0},
        {"2m", 0, 120000000000},
        {"1mss", E_SYNTAX, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        uint64_t ns = 0;
        int error = units_parse_duration(rows[i].text, 1000000, &ns);
        if (error != rows[i].error || ns != rows[i].ns)
            fail_msg("\"%s\" gave %d, %llu", rows[i].text, error, (unsigned long long)ns);
    }
}

static void sizes_are_powers_of_1024_in_either_case(void **state)
{
    (void)state;
    uint64_t bytes;
    assert_int_equal(units_parse_size("4096", &bytes), 0);
    assert_int_equal(bytes, 4096);
    assert_int_equal(units_parse_size("512k", &bytes), 0);
    assert_int_equal(bytes, 512 * 1024);
    assert_int_equal(units_parse_size("16M", &bytes), 0);
    assert_int_equal(bytes, 16 << 20);
    assert_int_equal(units_parse_size("1g", &bytes), 0);
    assert_int_equal(bytes, 1 << 30);
    assert_int_equal(units_parse_size("18446744073709551615", &bytes), 0);
    assert_true(bytes == UINT64_MAX);
    assert_int_equal(units_parse_size("18446744073709551616", &bytes), E_RANGE);
    assert_int_equal(units_parse_size("17179869184g", &bytes), E_RANGE);
    assert_int_equal(units_parse_size("1kb", &bytes), E_SYNTAX);
    assert_int_equal(units_parse_size("", &bytes), E_SYNTAX);
    assert_int_equal(units_parse_size("-1k", &bytes), E_SYNTAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_have_units_and_a_bare_number_has_the_default),
        cmocka_unit_test(sizes_are_powers_of_1024_in_either_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
