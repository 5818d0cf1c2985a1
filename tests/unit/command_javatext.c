/* cli_javatext.c - numbers and times as Java writes them. SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <string.h>
#include "command/javatext.h"
#include "command/textbuf.h"
#include "cmocka_all.h"

static void is(struct textbuf *t, const char *expected)
{
    textbuf_char(t, '\0');
    assert_string_equal(t->bytes, expected);
    t->len = 0;
}

/* The expected texts are what JDK 21 prints. */
static void doubles_have_as_many_digits_as_they_need(void **state)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0, "0.0"},
        {-0.0, "-0.0"},
        {1, "1.0"},
        {0.1, "0.1"},
        {1e7, "1.0E7"},
        {9999999, "9999999.0"},
        {0.001, "0.001"},
        {0.00099, "9.9E-4"},
        {1e23, "1.0E23"},
        {2e-3, "0.002"},
        {DBL_TRUE_MIN, "4.9E-324"},
        {DBL_MAX, "1.7976931348623157E308"},
        {123456789.123, "1.23456789123E8"},
        {1.0 / 3, "0.3333333333333333"},
        {DBL_MIN, "2.2250738585072014E-308"},
        {NAN, "NaN"},
        {-INFINITY, "-Infinity"},
        {100.5, "100.5"},
    };
    struct textbuf t = {0};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        javatext_double(&t, rows[i].value);
        is(&t, rows[i].text);
    }
    javatext_float(&t, 0.1F);
    is(&t, "0.1");
    javatext_float(&t, FLT_TRUE_MIN);
    is(&t, "1.4E-45");
    javatext_float(&t, 123456.7F);
    is(&t, "123456.7");
    javatext_float(&t, -0.59F);
    is(&t, "-0.59");
    javatext_float(&t, 1.0F);
    is(&t, "1.0");
    javatext_float(&t, 16777216.0F);
    is(&t, "1.6777216E7");
    textbuf_done(&t);
}

static void durations_are_in_hours_minutes_and_seconds(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } rows[] = {
        {0, "PT0S"},
        {1, "PT0.000000001S"},
        {-1, "PT-0.000000001S"},
        {1500000000, "PT1.5S"},
        {-1500000000, "PT-1.5S"},
        {60000000000, "PT1M"},
        {3661000000000, "PT1H1M1S"},
        {90000000000000, "PT25H"},
        {-3600000000001, "PT-1H-0.000000001S"},
    };
    struct textbuf t = {0};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        javatext_duration(&t, javatext_span_of(rows[i].ns, 1));
        is(&t, rows[i].text);
    }
    textbuf_done(&t);
}

static void times_have_a_date_and_an_offset(void **state)
{
    struct textbuf t = {0};
    (void)state;
    javatext_time(&t, (struct javatext_span){0, 0}, 0);
    is(&t, "1970-01-01T00:00Z");
    javatext_time(&t, (struct javatext_span){951782400, 1000}, 3600);
    is(&t, "2000-02-29T01:00:00.000001+01:00");
    javatext_time(&t, (struct javatext_span){-1, 500000000}, -5400);
    is(&t, "1969-12-31T22:29:59.500-01:30");
    textbuf_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_have_as_many_digits_as_they_need),
        cmocka_unit_test(durations_are_in_hours_minutes_and_seconds),
        cmocka_unit_test(times_have_a_date_and_an_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
