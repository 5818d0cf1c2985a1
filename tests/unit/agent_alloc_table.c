/* agent_alloc_table.c - the table of allocation sites. SPDX-License-Identifier: Apache-2.0 */
#include "agent/alloc/alloc_table.h"
#include <pthread.h>
#include "cmocka_all.h"

enum { BYTES = 1 << 20, THREADS = 4, ROUNDS = 50000 };

static void a_key_leads_to_its_row_or_nowhere(void **state)
{
    (void)state;
    struct alloc_table t;
    assert_int_equal(alloc_table_init(&t, BYTES, BYTES), 0);
    assert_int_equal(alloc_table_find(&t, 77).row, 0);
    for (uint64_t key = 1; key < 1000; key++)
        alloc_table_remember(&t, key * 0x9e3779b97f4a7c15u | 1,
                             (struct alloc_found){(uint32_t)key, ~(uint32_t)key});
    uint32_t found = 0;
    for (uint64_t key = 1; key < 1000; key++) {
        struct alloc_found there = alloc_table_find(&t, key * 0x9e3779b97f4a7c15u | 1);
        assert_true(there.row == 0 || (there.row == key && there.measure == ~(uint32_t)key));
        found += there.row != 0;
    }
    assert_true(found > 990);
    alloc_table_done(&t);
}

static void keys_of_one_place_push_each_other_out(void **state)
{
    (void)state;
    struct alloc_table t;
    assert_int_equal(alloc_table_init(&t, BYTES, BYTES), 0);
    for (uint64_t i = 1; i < 100; i++) {
        alloc_table_remember(&t, i << 32 | 5, (struct alloc_found){.row = (uint32_t)i});
        assert_int_equal(alloc_table_find(&t, i << 32 | 5).row, i);
    }
    alloc_table_done(&t);
}

static void the_part_for_keys_grows_and_forgets(void **state)
{
    (void)state;
    struct alloc_table t;
    assert_int_equal(alloc_table_init(&t, BYTES, BYTES), 0);
    uint32_t first = t.key_mask, found = 0;
    for (uint64_t key = 1; key <= 4 * first; key++)
        alloc_table_remember(&t, key * 0x9e3779b97f4a7c15u | 1, (struct alloc_found){.row = 7});
    assert_true(t.key_mask > first && t.key_mask < t.key_room);
    for (uint64_t key = 3 * first; key <= 4 * first; key++)
        found += alloc_table_find(&t, key * 0x9e3779b97f4a7c15u | 1).row == 7;
    assert_true(found > first * 9 / 10);
    alloc_table_forget(&t);
    for (uint64_t key = 1; key <= 4 * first; key++)
        assert_int_equal(alloc_table_find(&t, key * 0x9e3779b97f4a7c15u | 1).row, 0);
    alloc_table_remember(&t, 99, (struct alloc_found){.row = 8});
    assert_int_equal(alloc_table_find(&t, 99).row, 8);
    alloc_table_done(&t);
}

static void a_tag_is_a_row_or_unknown(void **state)
{
    (void)state;
    struct alloc_table t;
    assert_int_equal(alloc_table_init(&t, BYTES, BYTES), 0);
    uint32_t row = alloc_table_add_row(&t, 3, 4, 300007);
    assert_int_equal(alloc_table_row(&t, row)->trace_serial, 300007);
    assert_null(alloc_table_row(&t, 0));
    assert_null(alloc_table_row(&t, -1));
    assert_null(alloc_table_row(&t, row + 1));
    alloc_table_done(&t);
}

static void when_rows_are_used_up_the_first_one_takes_the_rest(void **state)
{
    (void)state;
    struct alloc_table t;
    assert_int_equal(alloc_table_init(&t, BYTES, BYTES), 0);
    uint32_t row = 0, count = 0;
    assert_false(alloc_table_is_crowded(&t));
    while ((row = alloc_table_add_row(&t, 1, 1, 300000)) != ALLOC_TABLE_OTHER || count == 0)
        count++;
    assert_true(alloc_table_is_crowded(&t));
    assert_int_equal(count, BYTES / sizeof(struct alloc_row) - 1);
    alloc_table_done(&t);
}

static void *count_many(void *table)
{
    for (int i = 0; i < ROUNDS; i++)
        alloc_table_count(table, 2, 24);
    return NULL;
}

static void threads_count_together(void **state)
{
    (void)state;
    struct alloc_table t;
    pthread_t threads[THREADS];
    assert_int_equal(alloc_table_init(&t, BYTES, BYTES), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_many, &t), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(t.rows[2].objects, THREADS * ROUNDS);
    assert_int_equal(t.rows[2].bytes, 24 * THREADS * ROUNDS);
    alloc_table_done(&t);
}

static void a_sample_stands_for_what_was_not_seen(void **state)
{
    (void)state;
    struct alloc_table t;
    assert_int_equal(alloc_table_init(&t, BYTES, BYTES), 0);
    alloc_table_count_sample(&t, 2, 100, 0.25);
    alloc_table_count_sample(&t, 2, 100, 0.25);
    assert_true(t.rows[2].objects_estimate == 8 && t.rows[2].bytes_estimate == 800);
    assert_true(t.rows[2].objects_variance == 24 && t.rows[2].bytes_variance == 240000);
    assert_true(alloc_table_probability(1 << 30, 1024) == 1);
    double p = alloc_table_probability(512, 524288);
    assert_true(p > 0.00097 && p < 0.000977);
    alloc_table_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_leads_to_its_row_or_nowhere),
        cmocka_unit_test(keys_of_one_place_push_each_other_out),
        cmocka_unit_test(the_part_for_keys_grows_and_forgets),
        cmocka_unit_test(a_tag_is_a_row_or_unknown),
        cmocka_unit_test(when_rows_are_used_up_the_first_one_takes_the_rest),
        cmocka_unit_test(threads_count_together),
        cmocka_unit_test(a_sample_stands_for_what_was_not_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
