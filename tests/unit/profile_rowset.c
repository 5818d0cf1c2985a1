/* profile_rowset.c - sets of rows. SPDX-License-Identifier: Apache-2.0 */
#include "profile/rowset.h"
#include "base/arena.h"
#include "cmocka_all.h"

static void rows_that_were_added_come_back_in_order(void **state)
{
    static const uint32_t rows[] = {1, 63, 64, 65, 100000};
    struct arena arena;
    struct rowset set, none;
    uint32_t row = 0;
    arena_init(&arena, 1 << 20);
    rowset_init(&set);
    rowset_init(&none);
    for (int i = 4; i >= 0; i--)
        assert_int_equal(rowset_add(&set, &arena, rows[i]), 0);
    for (int i = 0; i < 5; i++) {
        row = rowset_next(&set, &none, row + 1);
        assert_int_equal(row, rows[i]);
        assert_true(rowset_has(&set, row));
    }
    assert_int_equal(rowset_next(&set, &none, row + 1), 0);
    assert_false(rowset_has(&set, 2));
    assert_false(rowset_has(&set, 1u << 27));
    arena_done(&arena);
}

static void rows_of_another_set_are_passed_over(void **state)
{
    struct arena arena;
    struct rowset set, without;
    arena_init(&arena, 1 << 20);
    rowset_init(&set);
    rowset_init(&without);
    for (uint32_t row = 1; row < 300; row++)
        assert_int_equal(rowset_add(&set, &arena, row), 0);
    for (uint32_t row = 1; row < 200; row++)
        assert_int_equal(rowset_add(&without, &arena, row), 0);
    assert_int_equal(rowset_next(&set, &without, 0), 200);
    rowset_clear(&without);
    assert_int_equal(rowset_next(&set, &without, 0), 1);
    arena_done(&arena);
}

static void a_set_is_as_large_as_its_budget(void **state)
{
    struct arena arena;
    struct rowset set;
    arena_init(&arena, 1 << 20);
    rowset_init(&set);
    assert_int_not_equal(rowset_add(&set, &arena, 1u << 27), 0);
    assert_false(rowset_has(&set, 1u << 27));
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_were_added_come_back_in_order),
        cmocka_unit_test(rows_of_another_set_are_passed_over),
        cmocka_unit_test(a_set_is_as_large_as_its_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
