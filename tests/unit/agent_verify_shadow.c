/*
 * agent_verify_shadow.c - the shadow stack: calls that return, and those that exceptions end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "agent/verify/verify_shadow.h"
#include "agent/verify/verify_table.h"
#include <pthread.h>

#define KEPT __attribute__((noinline, noclone))

/* What verdicts came since the last time this was asked. */
struct verdicts {
    uint64_t wrong, unwound, open;
};

static struct verdicts new_verdicts(void)
{
    static struct verdicts before;
    struct verdicts now = {verify_table_get(VERIFY_SHADOW_WRONG),
                           verify_table_get(VERIFY_SHADOW_UNWOUND),
                           verify_table_get(VERIFY_SHADOW_OPEN)};
    struct verdicts d = {now.wrong - before.wrong, now.unwound - before.unwound,
                         now.open - before.open};
    before = now;
    return d;
}

static void assert_stack(uint32_t count, uint32_t first, uint32_t last)
{
    uint32_t numbers[VERIFY_SHADOW_MAX];
    assert_int_equal(verify_shadow_read(numbers, VERIFY_SHADOW_MAX), count);
    if (count > 0) {
        assert_int_equal(numbers[0], first);
        assert_int_equal(numbers[count - 1], last);
    }
}

static int begin(void **state)
{
    verify_shadow_clear();
    new_verdicts();
    return 0;
}

/* An entry lies below its caller's: what calls has a frame of its own. */
KEPT static int64_t enter(uint32_t number)
{
    volatile char frame[64] = {(char)number};
    int64_t token = verify_shadow_enter(number);
    frame[1] = frame[0];
    return token;
}

KEPT static void call_within(uint32_t number, void (*inner)(void))
{
    volatile char frame[256] = {0};
    int64_t token = verify_shadow_enter(number);
    inner();
    verify_shadow_exit(token);
    frame[1] = frame[0];
}

static void see_two(void)
{
    assert_stack(2, 11, 22);
    verify_shadow_watch(1, VERIFY_SHADOW_WALK, NULL);
}

static void call_second(void)
{
    call_within(22, see_two);
}

static void calls_that_return_leave_nothing(void **state)
{
    call_within(11, call_second);
    assert_stack(0, 0, 0);
    /* the entry that was watched ended by its own return: who missed it was wrong */
    struct verdicts v = new_verdicts();
    assert_int_equal(v.wrong, 1);
    assert_int_equal(v.unwound + v.open, 0);
}

static void what_an_exception_left_goes_when_it_is_caught(void **state)
{
    int64_t outer = verify_shadow_enter(1);
    enter(2); /* its exit never comes */
    assert_stack(2, 1, 2);
    verify_shadow_watch(1, VERIFY_SHADOW_WALK, NULL);
    verify_shadow_watch(1, VERIFY_SHADOW_WALK, NULL);
    verify_shadow_caught(outer);
    assert_stack(1, 1, 1);
    struct verdicts v = new_verdicts();
    assert_int_equal(v.unwound, 2);
    assert_int_equal(v.wrong + v.open, 0);
    verify_shadow_exit(outer);
    assert_stack(0, 0, 0);
}

static void leave_an_entry(void)
{
    enter(33);
}

static void what_lies_below_the_next_call_is_gone(void **state)
{
    int64_t outer = verify_shadow_enter(1);
    call_within(2, leave_an_entry);
    assert_stack(1, 1, 1); /* the exit of 2 took 33 with it */
    leave_an_entry();
    assert_stack(2, 1, 33);
    verify_shadow_watch(1, VERIFY_SHADOW_WALK, NULL);
    int64_t next = verify_shadow_enter(4); /* from above the frame that 33 had */
    assert_stack(2, 1, 4);
    assert_int_equal(new_verdicts().unwound, 1);
    verify_shadow_exit(next);
    verify_shadow_exit(outer);
    assert_stack(0, 0, 0);
}

static void a_token_ends_its_own_entry_only(void **state)
{
    int64_t first = verify_shadow_enter(1);
    verify_shadow_exit(first);
    int64_t second = verify_shadow_enter(2);
    verify_shadow_exit(first); /* has been used */
    verify_shadow_caught(first);
    verify_shadow_exit(0); /* no room was left for that one */
    assert_stack(1, 2, 2);
    verify_shadow_exit(second);
    assert_stack(0, 0, 0);
}

static void without_an_end_there_is_no_verdict(void **state)
{
    verify_shadow_enter(1);
    verify_shadow_watch(0, VERIFY_SHADOW_WALK, NULL);
    verify_shadow_clear();
    struct verdicts v = new_verdicts();
    assert_int_equal(v.open, 1);
    assert_int_equal(v.wrong + v.unwound, 0);
}

KEPT static uint32_t deeper(uint32_t depth)
{
    volatile uint32_t count = 0;
    int64_t token = verify_shadow_enter(depth);
    count = (token != 0) + (depth > 0 ? deeper(depth - 1) : 0);
    verify_shadow_exit(token);
    return count;
}

static void a_full_stack_takes_no_more_and_recovers(void **state)
{
    assert_int_equal(deeper(VERIFY_SHADOW_MAX + 10), VERIFY_SHADOW_MAX);
    assert_stack(0, 0, 0);
    assert_int_equal(deeper(3), 4);
}

static void *run_thread(void *arg)
{
    assert_stack(0, 0, 0);
    verify_shadow_enter(5);
    assert_stack(1, 5, 5);
    verify_shadow_end();
    return arg;
}

static void each_thread_has_its_own(void **state)
{
    pthread_t thread;
    verify_shadow_enter(1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&thread, NULL, run_thread, NULL), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_stack(1, 1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(calls_that_return_leave_nothing, begin),
        cmocka_unit_test_setup(what_an_exception_left_goes_when_it_is_caught, begin),
        cmocka_unit_test_setup(what_lies_below_the_next_call_is_gone, begin),
        cmocka_unit_test_setup(a_token_ends_its_own_entry_only, begin),
        cmocka_unit_test_setup(without_an_end_there_is_no_verdict, begin),
        cmocka_unit_test_setup(a_full_stack_takes_no_more_and_recovers, begin),
        cmocka_unit_test_setup(each_thread_has_its_own, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
