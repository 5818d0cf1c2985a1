/*
 * command_condition.c - conditions and amounts, as --where takes them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/condition.h"
#include "base/err.h"
#include "command/amount.h"
#include "cmocka_all.h"

static void test_a_condition_has_a_field_an_order_and_a_value(void **state)
{
    struct condition c;
    (void)state;
    assert_true(condition_parse("duration >= 1 ms", &c));
    assert_string_equal(c.field, "duration");
    assert_int_equal(c.order, '>');
    assert_true(c.or_same && !c.is_not);
    assert_string_equal(c.value, "1 ms");
    assert_true(condition_parse("class!=java.*", &c));
    assert_true(c.is_not && c.order == '=');
    assert_string_equal(c.value, "java.*");
    assert_true(condition_parse("a==1", &c));
    assert_string_equal(c.value, "1");
    assert_false(condition_parse("duration", &c));
    assert_false(condition_parse("=1", &c));
    assert_false(condition_parse("a!1", &c));
}

static void test_a_second_condition_is_found(void **state)
{
    (void)state;
    assert_string_equal(condition_second("a=1 and b=2"), " and b=2");
    assert_string_equal(condition_second("a=1&&b>2"), "&&b>2");
    assert_null(condition_second("a=this and that"));
}

static void test_a_condition_holds_for_numbers(void **state)
{
    struct condition c;
    (void)state;
    assert_true(condition_parse("n<5", &c) && condition_holds(&c, 4, 5) &&
                !condition_holds(&c, 5, 5));
    assert_true(condition_parse("n<=5", &c) && condition_holds(&c, 5, 5));
    assert_true(condition_parse("n!=5", &c) && !condition_holds(&c, 5, 5) &&
                condition_holds(&c, 6, 5));
    assert_true(condition_parse("n=-5", &c) && condition_has_number(&c));
    assert_true(condition_parse("n=5*", &c) && !condition_has_number(&c));
}

static void test_amounts_have_units(void **state)
{
    double n;
    (void)state;
    assert_int_equal(amount_parse(AMOUNT_SPAN, false, "1 m 3 s", &n), 0);
    assert_true(n == 63e9);
    assert_int_equal(amount_parse(AMOUNT_SPAN, false, "0.7ms", &n), 0);
    assert_true(n == 700000);
    assert_int_equal(amount_parse(AMOUNT_BYTES, false, "4 kB", &n), 0);
    assert_true(n == 4096);
    assert_int_equal(amount_parse(AMOUNT_SHARE, false, "12.5%", &n), 0);
    assert_true(n == 0.125);
    assert_int_equal(amount_parse(AMOUNT_PLAIN, false, "many", &n), E_SYNTAX);
    assert_int_equal(amount_parse(AMOUNT_SPAN, false, "3 apples", &n), E_SYNTAX);
    assert_int_equal(amount_parse(AMOUNT_SPAN, false, "inf", &n), E_SYNTAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_condition_has_a_field_an_order_and_a_value),
        cmocka_unit_test(test_a_second_condition_is_found),
        cmocka_unit_test(test_a_condition_holds_for_numbers),
        cmocka_unit_test(test_amounts_have_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
