/*
 * agent_method_open.c - open calls by thread and method: recursion, calls whose end was not seen,
 * and a table that is full.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/method/method_open.h"
#include "cmocka_all.h"

enum { METHOD = 7, OTHER = 8, DEEP = 1000, OUTER = 2000 /* addresses of the stack */ };

static int prepare(void **state)
{
    (void)state;
    return method_open_prepare(1 << 20);
}

static uint32_t end(int64_t kept)
{
    struct method_open_call call = {.at = UINT32_MAX};
    return method_open_end(kept, &call) ? call.at : UINT32_MAX;
}

static void a_call_within_a_call_of_the_method_is_a_part_of_it(void **state)
{
    (void)state;
    int64_t outer = method_open_begin(1, METHOD, OUTER);
    assert_true(outer > 0);
    int64_t inner = method_open_begin(1, METHOD, DEEP);
    assert_int_equal(inner, 0);
    int64_t other = method_open_begin(1, OTHER, DEEP), thread = method_open_begin(2, METHOD, DEEP);
    assert_true(other > 0 && thread > 0);
    assert_int_equal(end(inner), UINT32_MAX);
    assert_int_equal(end(other), OTHER);
    assert_int_equal(end(outer), METHOD);
    assert_int_equal(end(thread), METHOD);
    int64_t again = method_open_begin(1, METHOD, OUTER);
    assert_true(again > 0);
    assert_int_equal(end(again), METHOD);
}

static void a_call_whose_end_was_not_seen_hides_no_later_one(void **state)
{
    (void)state;
    int64_t lost = method_open_begin(1, METHOD, OUTER);
    int64_t later = method_open_begin(1, METHOD, OUTER);
    assert_true(lost > 0 && later > 0);
    assert_int_equal(end(later), METHOD);
    assert_int_equal(end(later), UINT32_MAX); /* whatever comes later, nothing is told twice */
}

static void a_virtual_thread_has_its_calls_on_each_stack(void **state)
{
    (void)state;
    struct method_open_call call;
    int64_t outer = method_open_begin(-5, METHOD, DEEP);
    assert_true(outer > 0);
    assert_int_equal(method_open_begin(-5, METHOD, OUTER), 0);
    method_open_unmount(5);
    method_open_unmount(6);
    method_open_mount(5);
    assert_true(method_open_end(outer, &call));
    assert_int_equal(call.at, METHOD);
    assert_true(call.off_ns > 0);
    outer = method_open_begin(-5, METHOD, DEEP);
    method_open_mount(5);
    assert_true(method_open_end(outer, &call));
    assert_int_equal(call.off_ns, 0);
}

static void calls_without_a_place_are_still_timed(void **state)
{
    (void)state;
    enum { THREADS = 100000 };
    static int64_t kept[THREADS];
    uint64_t before = method_open_unplaced();
    uint32_t placed = 0;
    for (int i = 0; i < THREADS; i++) {
        kept[i] = method_open_begin(i + 1, METHOD, DEEP);
        assert_int_not_equal(kept[i], 0);
        placed += kept[i] > 0;
    }
    assert_int_equal(method_open_unplaced() - before, THREADS - placed);
    assert_true(placed > 10000 && placed < THREADS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(end(kept[i]), METHOD);
    struct method_open_call call;
    assert_true(method_open_end(method_open_begin(0, OTHER, DEEP), &call)); /* no number yet */
    assert_int_equal(call.at, OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_within_a_call_of_the_method_is_a_part_of_it),
        cmocka_unit_test(a_call_whose_end_was_not_seen_hides_no_later_one),
        cmocka_unit_test(a_virtual_thread_has_its_calls_on_each_stack),
        cmocka_unit_test(calls_without_a_place_are_still_timed),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
