/*
 * options_options_call.c - CLASS::METHOD[:>TIME]: what is read, and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_call.h"
#include <stdio.h>
#include "cmocka_all.h"

static void the_parts_of_a_value_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text, *klass, *method;
        bool has_least;
        uint64_t least_ns;
    } rows[] = {
        {"org.h2.Driver::connect", "org/h2/Driver", "connect", false, 0},
        {"org/h2/Driver::connect:>50ms", "org/h2/Driver", "connect", true, 50000000},
        {"A$B::<init>:>7", "A$B", "<init>", true, 7000000},
        {"com.acme.*Dao::*:>0", "com/acme/*Dao", "*", true, 0},
        {"*::find*:>1us", "*", "find*", true, 1000},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[64];
        snprintf(text, sizeof(text), "%s", rows[i].text);
        assert_true(options_call_check(text, true));
        const struct options_call call = options_call_split(text);
        assert_string_equal(call.klass, rows[i].klass);
        assert_string_equal(call.method, rows[i].method);
        assert_int_equal(call.has_least, rows[i].has_least);
        assert_int_equal(call.least_ns, rows[i].least_ns);
    }
}

static void what_is_no_call_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",         "A",         "A::",     "::b",        "A.::b", "A..B::c", "A::b:>",   "A::b:>x",
        "A::b(I)V", "A:>5ms::b", "A::b::c", "A::b:>-1ms", "A;::b", "[A::b",   "A::b:dump"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[64];
        snprintf(text, sizeof(text), "%s", wrong[i]);
        if (options_call_check(text, true))
            fail_msg("%s", wrong[i]);
    }
}

static void stars_are_for_those_who_want_them(void **state)
{
    (void)state;
    char klass[] = "com.acme.*::find", method[] = "com.acme.Dao::*";
    assert_false(options_call_check(klass, false));
    assert_false(options_call_check(method, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_of_a_value_are_told_apart),
        cmocka_unit_test(what_is_no_call_is_refused),
        cmocka_unit_test(stars_are_for_those_who_want_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
