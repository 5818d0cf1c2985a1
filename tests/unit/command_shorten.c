/*
 * cli_shorten.c - names of methods in a column.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "command/shorten.h"
#include <stdio.h>
#include <string.h>

static void assert_shortened(const char *name, size_t columns, const char *expected)
{
    char text[256];
    snprintf(text, sizeof(text), "%s", name);
    shorten_name(text, columns);
    assert_string_equal(text, expected);
}

static void packages_give_way_from_the_left_as_far_as_needed(void **state)
{
    const char *name = "com.sun.tools.javac.Main.main";
    (void)state;
    assert_shortened(name, 0, name);
    assert_shortened(name, 29, name);
    assert_shortened(name, 28, "c.sun.tools.javac.Main.main");
    assert_shortened(name, 25, "c.s.tools.javac.Main.main");
    assert_shortened(name, 20, "c.s.t.j.Main.main");
}

static void what_is_too_long_all_the_same_loses_its_middle(void **state)
{
    (void)state;
    assert_shortened("VeryLongClassName.aMethod", 16, "Very...e.aMethod");
    assert_shortened("abcdefgh", 3, "abc");
}

static void letters_of_several_bytes_take_one_column(void **state)
{
    (void)state;
    assert_int_equal(shorten_columns("\xc3\xa4\xe2\x82\xacx"), 3);
    assert_shortened("\xc3\xa4\xc3\xb6.\xc3\xbc.A.m", 7, "\xc3\xa4.\xc3\xbc.A.m");
}

static void any_width_is_kept(void **state)
{
    const char *names[] = {"a.b.C.d",
                           "\xc3\xa4\xc3\xb6\xc3\xbc.\xe2\x82\xac\xe2\x82\xac.Long.method",
                           "no",
                           ".",
                           "..",
                           "a..b.c",
                           "\x80\x80\x80.\x80.\x80"};
    (void)state;
    for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
        for (size_t columns = 1; columns < 30; columns++) {
            char text[256];
            snprintf(text, sizeof(text), "%s", names[n]);
            shorten_name(text, columns);
            assert_in_range(shorten_columns(text), 0, columns);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packages_give_way_from_the_left_as_far_as_needed),
        cmocka_unit_test(what_is_too_long_all_the_same_loses_its_middle),
        cmocka_unit_test(letters_of_several_bytes_take_one_column),
        cmocka_unit_test(any_width_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
