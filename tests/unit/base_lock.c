/* base_lock.c - locks taken out of order are reported. SPDX-License-Identifier: Apache-2.0 */
#ifndef LOCK_CHECKED
#define LOCK_CHECKED
#endif
#include "base/lock.h"
#include "cmocka_all.h"

static struct lock dumps = LOCK_INIT(DUMPS), agent = LOCK_INIT(AGENT), output;
static int reports;
static enum lock_rank reported_held, reported_taken;

static void note(enum lock_rank held, enum lock_rank taken)
{
    reports++;
    reported_held = held;
    reported_taken = taken;
}

static int set_up(void **state)
{
    (void)state;
    reports = 0;
    lock_report = note;
    lock_init(&output, LOCK_OUTPUT);
    return 0;
}

static void the_order_of_the_ranks_is_right(void **state)
{
    (void)state;
    lock_take(&dumps);
    lock_take(&agent);
    lock_take(&output);
    lock_give(&agent); /* in whatever order they are given back */
    lock_give(&dumps);
    lock_give(&output);
    assert_int_equal(reports, 0);
}

static void a_lower_rank_is_reported_with_what_is_held(void **state)
{
    (void)state;
    lock_take(&output);
    lock_take(&agent);
    assert_int_equal(reports, 1);
    assert_int_equal(reported_held, LOCK_OUTPUT);
    assert_int_equal(reported_taken, LOCK_AGENT);
    lock_give(&agent);
    lock_give(&output);
}

static void of_one_rank_there_is_one_at_a_time(void **state)
{
    static struct lock second = LOCK_INIT(AGENT);
    (void)state;
    lock_take(&agent);
    lock_take(&second);
    assert_int_equal(reports, 1);
    assert_int_equal(reported_held, LOCK_AGENT);
    lock_give(&second);
    lock_give(&agent);
}

static void who_does_not_wait_may_try_any(void **state)
{
    (void)state;
    lock_take(&output);
    assert_true(lock_try(&agent));
    assert_false(lock_try(&agent));
    assert_int_equal(reports, 0);
    lock_take(&dumps); /* but what was taken so counts */
    assert_int_equal(reports, 1);
    assert_int_equal(reported_held, LOCK_AGENT);
    lock_give(&dumps);
    lock_give(&agent);
    lock_give(&output);
}

static void what_was_given_back_is_not_held(void **state)
{
    (void)state;
    lock_take(&output);
    lock_give(&output);
    lock_take(&dumps);
    lock_give(&dumps);
    assert_int_equal(reports, 0);
    assert_string_equal(lock_word(LOCK_DUMPS), "DUMPS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_order_of_the_ranks_is_right, set_up),
        cmocka_unit_test_setup(a_lower_rank_is_reported_with_what_is_held, set_up),
        cmocka_unit_test_setup(of_one_rank_there_is_one_at_a_time, set_up),
        cmocka_unit_test_setup(who_does_not_wait_may_try_any, set_up),
        cmocka_unit_test_setup(what_was_given_back_is_not_held, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
