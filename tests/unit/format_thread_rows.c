/* format_thread_rows.c - rows by their threads. SPDX-License-Identifier: Apache-2.0 */
#include "format/thread_rows.h"
#include "base/arena.h"
#include "cmocka_all.h"
#include "profile/table.h"

struct row {
    uint64_t other;
    thread_id thread;
};

static void each_thread_has_its_rows_in_their_order(void **state)
{
    (void)state;
    static const thread_id threads[] = {3, 0, 3, 1, 0};
    static const uint32_t rows[] = {2, 5, 4, 1, 3}, first[] = {0, 2, 3, 3, 5};
    struct arena arena;
    struct table table;
    struct thread_rows by;

    arena_init(&arena, SIZE_MAX);
    table_init(&table, sizeof(struct row));
    for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
        struct row *row = table_add(&table, &arena);
        row->thread = threads[i];
    }
    assert_int_equal(thread_rows_make(&by, &table, offsetof(struct row, thread), 3), 0);
    assert_memory_equal(by.rows, rows, sizeof(rows));
    assert_memory_equal(by.first, first, sizeof(first));
    thread_rows_done(&by);
    arena_done(&arena);
}

static void of_nothing_all_ranges_are_empty(void **state)
{
    (void)state;
    struct table table;
    struct thread_rows by;

    table_init(&table, sizeof(struct row));
    assert_int_equal(thread_rows_make(&by, &table, offsetof(struct row, thread), 0), 0);
    assert_int_equal(by.first[0], 0);
    assert_int_equal(by.first[1], 0);
    thread_rows_done(&by);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_has_its_rows_in_their_order),
        cmocka_unit_test(of_nothing_all_ranges_are_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
