/* agent_monitor_table.c - contention as threads note it. SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "agent/monitor/monitor_table.h"
#include "cmocka_all.h"

enum {
    BUDGET = 4 << 20,
    THREADS = 4,
    ROUNDS = 20000,
};

static const uint64_t stack[] = {1, 2, 3};

static void assert_count(struct monitor_table *t, uint32_t row, uint64_t hits, uint64_t ns)
{
    struct monitor_table_count count = monitor_table_take(t, row);
    assert_int_equal(count.hits, hits);
    assert_int_equal(count.ns, ns);
}

static void rows_are_told_apart_by_each_part_of_their_key(void **state)
{
    struct monitor_table t;
    char name[] = "LA;";
    uint32_t row;
    assert_int_equal(monitor_table_init(&t, BUDGET), 0);
    row = monitor_table_row(&t, 0, name, 7, stack, sizeof(stack));
    assert_int_equal(row, 1);
    name[1] = 'B'; /* the table has a copy */
    assert_int_equal(monitor_table_row(&t, 0, "LA;", 7, stack, sizeof(stack)), row);
    assert_int_equal(monitor_table_row(&t, 0, "LB;", 7, stack, sizeof(stack)), 2);
    assert_int_equal(monitor_table_row(&t, 1, "LA;", 7, stack, sizeof(stack)), 3);
    assert_int_equal(monitor_table_row(&t, 0, "LA;", 8, stack, sizeof(stack)), 4);
    assert_int_equal(monitor_table_row(&t, 0, "LA;", 7, stack, 2 * sizeof(*stack)), 5);
    assert_int_equal(monitor_table_row(&t, 0, "LA;", 7, stack, 0), 6);
    assert_int_equal(monitor_table_row(&t, 0, "LA;", 7, stack, 0), 6);
    assert_int_equal(monitor_table_rows(&t), 6);
    assert_string_equal(monitor_table_at(&t, 1)->name, "LA;");
    assert_memory_equal(monitor_table_at(&t, 1)->frames, stack, sizeof(stack));
    monitor_table_done(&t);
}

static void what_was_taken_starts_again_at_zero(void **state)
{
    struct monitor_table t;
    uint32_t row;
    assert_int_equal(monitor_table_init(&t, BUDGET), 0);
    row = monitor_table_row(&t, 0, "LA;", 0, stack, sizeof(stack));
    monitor_table_add(&t, row, 5);
    monitor_table_add(&t, row, 6);
    monitor_table_add_time(&t, row, 7); /* of one that goes on */
    assert_count(&t, row, 2, 18);
    assert_count(&t, row, 0, 0);
    monitor_table_add(&t, 0, 3);
    assert_count(&t, 0, 1, 3);
    monitor_table_add(&t, 0, 4);
    assert_count(&t, 0, 1, 4);
    assert_int_equal(t.lost_total.hits, 2);
    assert_int_equal(t.lost_total.ns, 7);
    monitor_table_done(&t);
}

static void lines_come_out_in_order_and_those_too_many_are_counted(void **state)
{
    struct monitor_table t;
    struct monitor_table_line line;
    assert_int_equal(monitor_table_init(&t, BUDGET), 0);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MONITOR_TABLE_LINES + 3; i++)
            monitor_table_add_line(&t, i % 2, "LA;", i, (uint32_t)i);
        for (int i = 0; i < MONITOR_TABLE_LINES; i++) {
            assert_true(monitor_table_next_line(&t, &line));
            assert_int_equal(line.ms, i);
            assert_int_equal(line.thread, i);
            assert_int_equal(line.waited, i % 2);
            assert_string_equal(line.name, "LA;");
        }
        assert_false(monitor_table_next_line(&t, &line));
    }
    assert_int_equal(t.lines_lost, 6);
    monitor_table_done(&t);
}

static void a_full_table_says_no_and_keeps_what_it_has(void **state)
{
    struct monitor_table t;
    uint64_t frames[64];
    uint32_t row, rows = 0;
    memset(frames, 1, sizeof(frames));
    assert_int_equal(monitor_table_init(&t, 1 << 20), 0);
    do {
        frames[0] = rows;
        row = monitor_table_row(&t, 0, "LA;", 0, frames, sizeof(frames));
        rows += row != 0;
        assert_true(rows < (1 << 20) / sizeof(frames));
    } while (row);
    assert_true(rows > 0);
    assert_int_equal(monitor_table_rows(&t), rows);
    frames[0] = 0;
    assert_int_equal(monitor_table_row(&t, 0, "LA;", 0, frames, sizeof(frames)), 1);
    monitor_table_done(&t);
}

static void *contend(void *argument)
{
    struct monitor_table *t = argument;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t frame = i % 1000;
        monitor_table_add(t, monitor_table_row(t, 0, "LA;", 0, &frame, sizeof(frame)), 2);
    }
    return NULL;
}

static void many_threads_lose_nothing(void **state)
{
    struct monitor_table t;
    pthread_t threads[THREADS];
    struct monitor_table_count sum = {0, 0};
    assert_int_equal(monitor_table_init(&t, BUDGET), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, contend, &t), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(monitor_table_rows(&t), 1000);
    for (uint32_t id = 0; id <= monitor_table_rows(&t); id++) {
        struct monitor_table_count count = monitor_table_take(&t, id);
        sum.hits += count.hits;
        sum.ns += count.ns;
    }
    assert_int_equal(sum.hits, THREADS * ROUNDS);
    assert_int_equal(sum.ns, 2 * THREADS * ROUNDS);
    monitor_table_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_told_apart_by_each_part_of_their_key),
        cmocka_unit_test(what_was_taken_starts_again_at_zero),
        cmocka_unit_test(lines_come_out_in_order_and_those_too_many_are_counted),
        cmocka_unit_test(a_full_table_says_no_and_keeps_what_it_has),
        cmocka_unit_test(many_threads_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
