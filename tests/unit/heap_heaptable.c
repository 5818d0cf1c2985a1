/*
 * heap_heaptable.c - tables in memory and in a file.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaptable.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/err.h"
#include "base/splitmix.h"
#include "cmocka_all.h"

enum { ROWS = 100000, STEPS = 300000, LIMIT = 1 << 20 };

static const char *tmp_folder(void)
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

/* Rows of all sizes keep what was written, whatever leaves memory between. */
static void play(struct heaptable_store *s, uint64_t rows)
{
    static const unsigned sizes[] = {1, 2, 4, 8};
    struct heaptable tables[4];
    uint64_t *model[4], random = 7;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(heaptable_init(&tables[i], s, rows, sizes[i]), 0);
        model[i] = calloc(rows, sizeof(*model[i]));
    }
    for (int step = 0; step < STEPS; step++) {
        uint64_t dice = splitmix_next(&random), row = (dice >> 8) % rows, i = dice % 4;
        uint64_t mask = sizes[i] == 8 ? UINT64_MAX : (UINT64_C(1) << sizes[i] * 8) - 1;
        if (dice & 128) {
            model[i][row] = splitmix_next(&random) & mask;
            heaptable_set(&tables[i], row, model[i][row]);
        }
        assert_int_equal(heaptable_get(&tables[i], row), model[i][row]);
    }
    for (int i = 0; i < 4; i++) {
        for (uint64_t row = 0; row < rows; row++)
            assert_int_equal(heaptable_get(&tables[i], row), model[i][row]);
        heaptable_done(&tables[i]);
        free(model[i]);
    }
}

static void rows_keep_what_was_written(void **state)
{
    struct heaproom room = {.limit = 256 << 20};
    struct heaptable_store s;
    heaptable_open(&s, &room, tmp_folder(), NULL, 0);
    play(&s, ROWS);
    assert_false(s.is_spilling);
    assert_int_equal(heaptable_file_bytes(&s), 0);
    heaptable_close(&s);
    assert_int_equal(room.used, 0);
}

static void rows_in_a_file_keep_what_was_written(void **state)
{
    struct heaproom room = {.limit = LIMIT};
    struct heaptable_store s;
    heaptable_open(&s, &room, tmp_folder(), NULL, 0);
    play(&s, ROWS);
    assert_true(s.is_spilling);
    assert_true(room.peak <= LIMIT);
    uint64_t bytes = heaptable_file_bytes(&s);
    play(&s, ROWS);
    assert_int_equal(heaptable_file_bytes(&s), bytes); /* places are used again */
    heaptable_close(&s);
    assert_int_equal(room.used, 0);
}

static void rows_in_small_pages_keep_what_was_written(void **state)
{
    struct heaproom room = {.limit = LIMIT};
    struct heaptable_store s;
    heaptable_open(&s, &room, tmp_folder(), NULL, 64);
    play(&s, 3000);
    heaptable_close(&s);
    assert_int_equal(room.used, 0);
}

static void tables_grow_move_and_shrink(void **state)
{
    for (uint64_t limit = 256 << 10; limit <= 64 << 20; limit *= 16) {
        struct heaproom room = {.limit = limit};
        struct heaptable_store s;
        struct heaptable t = {0}, moved = {0};
        heaptable_open(&s, &room, tmp_folder(), NULL, 0);
        assert_int_equal(heaptable_init(&t, &s, 0, sizeof(heapnode)), 0);
        for (heapnode i = 0; i < ROWS; i++)
            assert_int_equal(heaptable_add(&t, i * 3), 0);
        heaptable_move(&moved, &t);
        assert_null(t.store);
        for (heapnode i = 0; i < ROWS; i++)
            assert_int_equal(heaptable_node(&moved, i), i * 3);
        heaptable_cut(&moved, ROWS / 3);
        assert_int_equal(moved.rows, ROWS / 3);
        for (heapnode i = 0; i < ROWS / 3; i++)
            assert_int_equal(heaptable_node(&moved, i), i * 3);
        assert_int_equal(s.is_spilling, limit < 1 << 20);
        heaptable_done(&moved);
        heaptable_close(&s);
        assert_int_equal(room.used, 0);
    }
}

static void memory_beside_tables_moves_tables_into_the_file(void **state)
{
    struct heaproom room = {.limit = LIMIT};
    struct heaptable_store s;
    struct heaptable t;
    heaptable_open(&s, &room, tmp_folder(), NULL, 0);
    assert_int_equal(heaptable_init(&t, &s, LIMIT / 8, sizeof(uint32_t)), 0);
    for (uint64_t i = 0; i < t.rows; i++)
        heaptable_set(&t, i, i);
    assert_non_null(t.at);
    void *other = heaproom_take(&room, LIMIT / 4 * 3);
    assert_non_null(other);
    assert_null(t.at);
    for (uint64_t i = 0; i < t.rows; i++)
        assert_int_equal(heaptable_get(&t, i), i);
    assert_null(heaproom_take(&room, LIMIT / 2));
    heaproom_give(&room, other, LIMIT / 4 * 3);
    heaptable_done(&t);
    heaptable_close(&s);
    assert_int_equal(room.used, 0);
}

static void a_folder_that_takes_no_file_is_an_error(void **state)
{
    struct heaproom room = {.limit = LIMIT};
    struct heaptable_store s;
    struct heaptable t;
    heaptable_open(&s, &room, "/nowhere/at/all", NULL, 0);
    assert_int_equal(heaptable_init(&t, &s, LIMIT, sizeof(uint32_t)), -ENOENT);
    heaptable_done(&t);
    assert_int_equal(s.error, -ENOENT);
    heaptable_close(&s);
    assert_int_equal(room.used, 0);
}

/* Reads rows until the file behind them is gone. */
static int read_all(void *with)
{
    struct heaptable *t = with;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < t->rows; i++)
        sum += heaptable_get(t, i);
    return sum == 0 ? 0 : 1;
}

static void a_device_that_fails_ends_the_computation(void **state)
{
    struct heaproom room = {.limit = LIMIT};
    struct heaptable_store s;
    struct heaptable t;
    heaptable_open(&s, &room, tmp_folder(), NULL, 0);
    assert_int_equal(heaptable_init(&t, &s, LIMIT, sizeof(uint32_t)), 0);
    for (uint64_t i = 0; i < t.rows; i++)
        heaptable_set(&t, i, 1);
    assert_int_equal(heaptable_guard(&s, read_all, &t), 1);
    assert_int_equal(ftruncate(s.fd, 0), 0);
    assert_int_equal(heaptable_guard(&s, read_all, &t), -EIO);
    assert_null(t.store); /* all tables are done */
    assert_int_equal(heaptable_guard(&s, read_all, &t), -EIO);
    heaptable_close(&s);
    assert_int_equal(room.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_keep_what_was_written),
        cmocka_unit_test(rows_in_a_file_keep_what_was_written),
        cmocka_unit_test(rows_in_small_pages_keep_what_was_written),
        cmocka_unit_test(tables_grow_move_and_shrink),
        cmocka_unit_test(memory_beside_tables_moves_tables_into_the_file),
        cmocka_unit_test(a_folder_that_takes_no_file_is_an_error),
        cmocka_unit_test(a_device_that_fails_ends_the_computation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
