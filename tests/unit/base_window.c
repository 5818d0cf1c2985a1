/*
 * base_window.c - what --from and --to mean.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/window.h"
#include <stdlib.h>
#include <time.h>
#include "base/err.h"
#include "cmocka_all.h"

static const int64_t second = 1000000000;

/* 2026-01-31T23:50:00 in Berlin. */
static const struct window_clock night = {
    .start_ns = 1769899800LL * 1000000000, .nanotime_ns = 5000, .has_nanotime = true};

static int64_t moment_of(const char *text, const struct window_clock *clock)
{
    struct window w = {0};
    assert_int_equal(window_parse(text, &w.from), 0);
    assert_int_equal(window_resolve(&w, clock), 0);
    assert_int_equal(w.to_ns, INT64_MAX);
    return w.from_ns;
}

static void a_number_is_seconds_since_the_start(void **state)
{
    (void)state;
    assert_int_equal(moment_of("0", &night), night.start_ns);
    assert_int_equal(moment_of("1.25", &night), night.start_ns + second * 5 / 4);
    assert_int_equal(moment_of("90s", &night), night.start_ns + 90 * second);
    assert_int_equal(moment_of("+10s", &night), night.start_ns + 10 * second);
    assert_int_equal(moment_of("+1.5", &night), night.start_ns + second * 3 / 2);
    assert_int_equal(moment_of("250ms", &night), night.start_ns + second / 4);
    assert_int_equal(moment_of("2m", &night), night.start_ns + 120 * second);
    assert_int_equal(moment_of("1.5h", &night), night.start_ns + 5400 * second);
}

static void a_time_of_day_is_the_one_nearest_to_the_start(void **state)
{
    (void)state;
    assert_int_equal(moment_of("23:55", &night), night.start_ns + 300 * second);
    assert_int_equal(moment_of("00:10:00.5", &night), night.start_ns + 1200 * second + second / 2);
    assert_int_equal(moment_of("23:49:59", &night), night.start_ns - second);
}

static void a_date_has_a_zone_or_is_local(void **state)
{
    (void)state;
    assert_int_equal(moment_of("2026-01-31T22:50:00Z", &night), night.start_ns);
    assert_int_equal(moment_of("2026-01-31T23:50:00", &night), night.start_ns);
    assert_int_equal(moment_of("2026-02-01T00:50+02:00", &night), night.start_ns);
    assert_int_equal(moment_of("2026-01-31T17:20:00.250-0530", &night),
                     night.start_ns + second / 4);
}

static void a_nanotime_needs_a_clock_that_has_it(void **state)
{
    struct window_clock other = night;
    struct window w = {0};
    (void)state;
    assert_int_equal(moment_of("nanotime:5007", &night), night.start_ns + 7);
    other.has_nanotime = false;
    assert_int_equal(window_parse("nanotime:5007", &w.to), 0);
    assert_true(window_is_set(&w));
    assert_int_equal(window_resolve(&w, &other), E_UNSUPPORTED);
}

static void the_last_moment_is_not_in_it(void **state)
{
    struct window w = {0};
    (void)state;
    assert_false(window_is_set(&w));
    assert_int_equal(window_parse("1", &w.from), 0);
    assert_int_equal(window_parse("2", &w.to), 0);
    assert_int_equal(window_resolve(&w, &night), 0);
    assert_false(window_has(&w, night.start_ns + second - 1));
    assert_true(window_has(&w, night.start_ns + second));
    assert_true(window_has(&w, night.start_ns + 2 * second - 1));
    assert_false(window_has(&w, night.start_ns + 2 * second));
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "x",
                                        "-5",
                                        "5x",
                                        "1.",
                                        ".5",
                                        "24:00",
                                        "12:60",
                                        "1:05",
                                        "12:00:00Z",
                                        "2026-01-31",
                                        "2026-13-31T00:00:00",
                                        "2026-01-31T22:50:00+1",
                                        "nanotime:",
                                        "nanotime:x"};
    struct window_edge edge;
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        assert_int_equal(window_parse(texts[i], &edge), E_SYNTAX);
    assert_int_equal(window_parse("99999999999999", &edge), E_RANGE);
    assert_int_equal(window_parse("3000000h", &edge), E_RANGE);
    assert_int_equal(window_parse("nanotime:9223372036854775808", &edge), E_RANGE);
}

static void a_window_whose_end_is_not_behind_its_beginning_is_empty(void **state)
{
    static const struct {
        const char *from, *to;
        bool is_empty;
    } rows[] = {
        {"1", "2", false},         {"2", "1", true},           {"1", "1000ms", true},
        {"23:50", "00:10", false}, {"nanotime:5", "1", false}, {"nanotime:6", "nanotime:5", true},
    };
    struct window w = {0};
    (void)state;
    assert_false(window_is_empty(&w));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(window_parse(rows[i].from, &w.from), 0);
        assert_int_equal(window_parse(rows[i].to, &w.to), 0);
        assert_int_equal(window_is_empty(&w), rows[i].is_empty);
    }
}

static void extreme_starts_overflow_nothing(void **state)
{
    struct window_clock last = {.start_ns = INT64_MAX}, first = {.start_ns = INT64_MIN};
    (void)state;
    assert_int_equal(moment_of("10", &last), INT64_MAX);
    assert_int_equal(moment_of("10:00", &last), INT64_MAX);
    assert_true(moment_of("10:00", &first) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_seconds_since_the_start),
        cmocka_unit_test(a_time_of_day_is_the_one_nearest_to_the_start),
        cmocka_unit_test(a_date_has_a_zone_or_is_local),
        cmocka_unit_test(a_nanotime_needs_a_clock_that_has_it),
        cmocka_unit_test(the_last_moment_is_not_in_it),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(a_window_whose_end_is_not_behind_its_beginning_is_empty),
        cmocka_unit_test(extreme_starts_overflow_nothing),
    };
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
