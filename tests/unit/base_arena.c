/* base_arena.c - memory with a budget. SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include <string.h>
#include "cmocka_all.h"

static void memory_is_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 16 << 20);
    unsigned char *before = NULL;
    for (size_t size = 0; size < 2000; size++) {
        unsigned char *at = arena_alloc(&a, size);
        assert_non_null(at);
        assert_int_equal((uintptr_t)at % 16, 0);
        assert_ptr_not_equal(at, before);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(at[i], 0);
        memset(at, 0xff, size);
        before = at;
    }
    arena_done(&a);
}

static void the_budget_is_never_exceeded_and_almost_used(void **state)
{
    (void)state;
    struct arena a;
    size_t budget = 3 << 20;
    arena_init(&a, budget);
    size_t got = 0;
    while (arena_alloc(&a, 1000))
        got += 1000;
    assert_true(a.taken <= budget);
    assert_true(got > budget / 10 * 9);
    arena_done(&a);
}

static void a_refused_large_piece_leaves_room_for_small_ones(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 20);
    assert_null(arena_alloc(&a, 2 << 20));
    assert_null(arena_alloc(&a, SIZE_MAX));
    assert_null(arena_alloc(&a, SIZE_MAX - 15));
    assert_non_null(arena_alloc(&a, 100));
    arena_done(&a);
}

static void a_large_piece_does_not_waste_the_block_in_use(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 64 << 20);
    arena_alloc(&a, 16);
    size_t taken = a.taken;
    assert_non_null(arena_alloc(&a, 8 << 20));
    size_t with_large = a.taken;
    assert_true(with_large > taken);
    assert_non_null(arena_alloc(&a, 1000));
    assert_int_equal(a.taken, with_large);
    arena_done(&a);
}

static void a_budget_of_nothing_gives_nothing(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 0);
    assert_null(arena_alloc(&a, 1));
    arena_init(&a, 4095);
    assert_null(arena_alloc(&a, 1));
    arena_done(&a);
}

static void a_reset_arena_is_as_new_and_keeps_a_block(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 4 << 20);
    for (int round = 0; round < 100; round++) {
        unsigned char *at = arena_alloc(&a, 100000);
        assert_non_null(at);
        assert_non_null(arena_alloc(&a, 2 << 20));
        for (size_t i = 0; i < 100000; i++)
            assert_int_equal(at[i], 0);
        memset(at, 0xff, 100000);
        arena_reset(&a);
        assert_true(a.taken > 0 && a.taken < 1 << 20);
    }
    arena_done(&a);
    arena_reset(&a);
    assert_non_null(arena_alloc(&a, 1));
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(the_budget_is_never_exceeded_and_almost_used),
        cmocka_unit_test(a_refused_large_piece_leaves_room_for_small_ones),
        cmocka_unit_test(a_large_piece_does_not_waste_the_block_in_use),
        cmocka_unit_test(a_reset_arena_is_as_new_and_keeps_a_block),
        cmocka_unit_test(a_budget_of_nothing_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
