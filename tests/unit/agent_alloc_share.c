/* agent_alloc_share.c - whose the counted allocations are. SPDX-License-Identifier: Apache-2.0 */
#include "agent/alloc/alloc_share.h"
#include "base/err.h"
#include "cmocka_all.h"

enum { BYTES = 1 << 20, ROW = 1, LATER_ROW = 2, SIZE = 24 };

static struct alloc_table table;
static struct alloc_share share;

static int set_up(void **state)
{
    assert_int_equal(alloc_table_init(&table, BYTES, BYTES), 0);
    assert_int_equal(alloc_table_add_row(&table, 1, 1, 300000), ROW);
    assert_int_equal(alloc_share_init(&share, &table), 0);
    return 0;
}

static int tear_down(void **state)
{
    alloc_share_done(&share);
    alloc_table_done(&table);
    return 0;
}

/* Counts `n` objects of a row; returns the tag that the last one has. */
static int64_t count(uint32_t row, int n)
{
    for (int i = 0; i < n; i++)
        alloc_table_count(&table, row, SIZE);
    return alloc_share_tag(&share, row);
}

static uint64_t objects(int place, uint32_t row)
{
    struct alloc_counts c = alloc_share_counts(&share, place, row);
    assert_int_equal(c.bytes, c.objects * SIZE);
    return c.objects;
}

static void the_first_recording_has_all_there_is(void **state)
{
    int64_t tag = count(ROW, 5);
    assert_int_equal(alloc_share_join(&share, 3), 0);
    assert_int_equal(objects(3, ROW), 5);
    assert_int_equal(alloc_share_row(tag), ROW);
    assert_true(alloc_share_has(&share, 3, tag));
    assert_true(alloc_share_is_counting(&share));
    alloc_share_part(&share, 3);
    assert_false(alloc_share_is_counting(&share));
}

static void a_later_one_has_what_came_since(void **state)
{
    assert_int_equal(alloc_share_join(&share, 0), 0);
    int64_t before = count(ROW, 5);

    assert_int_equal(alloc_share_join(&share, 1), 0);
    assert_int_equal(alloc_table_add_row(&table, 2, 2, 300001), LATER_ROW);
    int64_t after = count(ROW, 3), of_new_row = count(LATER_ROW, 2);

    assert_int_equal(objects(0, ROW), 8);
    assert_int_equal(objects(1, ROW), 3);
    assert_int_equal(objects(0, LATER_ROW), 2);
    assert_int_equal(objects(1, LATER_ROW), 2);
    assert_true(alloc_share_has(&share, 0, before) && !alloc_share_has(&share, 1, before));
    assert_true(alloc_share_has(&share, 0, after) && alloc_share_has(&share, 1, after));
    assert_int_equal(alloc_share_row(of_new_row), LATER_ROW);
}

static void a_place_that_is_used_again_has_nothing_of_its_last_one(void **state)
{
    assert_int_equal(alloc_share_join(&share, 0), 0);
    assert_int_equal(alloc_share_join(&share, 1), 0);
    int64_t tag = count(ROW, 4);

    alloc_share_part(&share, 1);
    assert_false(alloc_share_has(&share, 1, tag));
    count(ROW, 2);
    assert_int_equal(alloc_share_join(&share, 1), 0);
    assert_false(alloc_share_has(&share, 1, tag));
    count(ROW, 1);
    assert_int_equal(objects(1, ROW), 1);
    assert_int_equal(objects(0, ROW), 7);
}

static void one_that_counts_no_more_keeps_what_it_has(void **state)
{
    assert_int_equal(alloc_share_join(&share, 0), 0);
    assert_int_equal(alloc_share_join(&share, 1), 0);
    count(ROW, 4);
    assert_int_equal(alloc_share_turn(&share, 1, false), 0);
    assert_int_equal(alloc_table_add_row(&table, 2, 2, 300001), LATER_ROW);
    int64_t between = count(ROW, 2);

    count(LATER_ROW, 6);
    assert_int_equal(objects(1, ROW), 4);
    assert_int_equal(objects(1, LATER_ROW), 0);
    assert_false(alloc_share_has(&share, 1, between));
    assert_int_equal(alloc_share_turn(&share, 1, true), 0);
    count(LATER_ROW, 1);
    count(ROW, 1);
    assert_int_equal(objects(1, ROW), 5);
    assert_int_equal(objects(1, LATER_ROW), 1);
    assert_int_equal(objects(0, ROW), 7);
    assert_int_equal(objects(0, LATER_ROW), 7);
}

static void to_clear_is_for_one_alone(void **state)
{
    assert_int_equal(alloc_share_join(&share, 0), 0);
    assert_int_equal(alloc_share_join(&share, 1), 0);
    count(ROW, 4);
    alloc_share_clear(&share, 0);
    count(ROW, 1);
    assert_int_equal(objects(0, ROW), 1);
    assert_int_equal(objects(1, ROW), 5);
    assert_int_equal(alloc_share_turn(&share, 0, false), 0);
    alloc_share_clear(&share, 0);
    assert_int_equal(objects(0, ROW), 0);
    assert_int_equal(alloc_share_turn(&share, 0, true), 0);
    assert_int_equal(objects(0, ROW), 0);
    alloc_share_clear(&share, 5); /* which has not joined */
}

static void estimates_are_since_then_as_well(void **state)
{
    assert_int_equal(alloc_share_join(&share, 0), 0);
    alloc_table_count_sample(&table, ROW, SIZE, 0.25);
    assert_int_equal(alloc_share_join(&share, 1), 0);
    alloc_table_count_sample(&table, ROW, SIZE, 0.5);
    struct alloc_counts late = alloc_share_counts(&share, 1, ROW);

    assert_true(late.objects == 1 && late.objects_estimate == 2 && late.bytes_estimate == 48);
    assert_true(late.objects_variance == 2);
    assert_true(alloc_share_counts(&share, 0, ROW).objects_estimate == 6);
}

static void when_stretches_are_used_up_the_answer_is_no(void **state)
{
    int error = 0, turns = 0;
    assert_int_equal(alloc_share_join(&share, 0), 0);
    while ((error = alloc_share_turn(&share, 0, turns % 2)) == 0)
        turns++;
    assert_int_equal(error, E_LIMIT);
    assert_int_equal(turns, ALLOC_SHARE_STRETCHES - 1);
    assert_int_equal(alloc_share_join(&share, 1), E_LIMIT);
    alloc_share_part(&share, 1);
    assert_int_equal(alloc_share_row(count(ROW, 1)), ROW);
}

static void a_tag_of_somebody_else_is_no_row(void **state)
{
    assert_int_equal(alloc_share_row((int64_t)1 << 62), 0);
    assert_int_equal(alloc_share_row(0), 0);
    assert_int_equal(alloc_share_row(-1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_recording_has_all_there_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_later_one_has_what_came_since, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_place_that_is_used_again_has_nothing_of_its_last_one,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_that_counts_no_more_keeps_what_it_has, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(to_clear_is_for_one_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(estimates_are_since_then_as_well, set_up, tear_down),
        cmocka_unit_test_setup_teardown(when_stretches_are_used_up_the_answer_is_no, set_up,
                                        tear_down),
        cmocka_unit_test(a_tag_of_somebody_else_is_no_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
