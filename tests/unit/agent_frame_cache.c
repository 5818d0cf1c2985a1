/* agent_frame_cache.c - what frames were found to be. SPDX-License-Identifier: Apache-2.0 */
#include "agent/names/frame_cache.h"
#include "cmocka_all.h"

static struct frame_cache cache;

static void keep(uint64_t method, int32_t bci, uint32_t space, frame_id frame)
{
    frame_cache_keep(&cache, (struct frame_cache_row){method, bci, space, {.frame = frame}});
}

static frame_id find(uint64_t method, int32_t bci, uint32_t space)
{
    return frame_cache_find(&cache, method, bci, space).frame;
}

static void an_empty_cache_knows_nothing(void **state)
{
    (void)state;
    frame_cache_init(&cache, 1 << 20);
    assert_int_equal(find(1, 0, 0), 0);
    frame_cache_done(&cache);
}

static void a_frame_is_told_by_method_bci_and_space(void **state)
{
    (void)state;
    frame_cache_init(&cache, 1 << 20);
    keep(7, 1, 0, 11);
    keep(7, 2, 0, 12);
    keep(7, 1, 1, 13);
    keep(8, 1, 0, 14);
    keep(9, 1, 0, 0); /* no frame: nothing to know */
    assert_int_equal(find(7, 1, 0), 11);
    assert_int_equal(find(7, 2, 0), 12);
    assert_int_equal(find(7, 1, 1), 13);
    assert_int_equal(find(8, 1, 0), 14);
    assert_int_equal(find(8, 2, 0), 0);
    assert_int_equal(find(9, 1, 0), 0);
    frame_cache_done(&cache);
}

static void what_was_found_comes_back_whole(void **state)
{
    (void)state;
    frame_cache_init(&cache, 1 << 20);
    frame_cache_keep(
        &cache, (struct frame_cache_row){5, -1, 0, {.frame = 3, .is_own = true, .is_blank = true}});
    assert_true(frame_cache_find(&cache, 5, -1, 0).is_own);
    assert_true(frame_cache_find(&cache, 5, -1, 0).is_blank);
    assert_false(frame_cache_find(&cache, 5, -1, 0).is_lost);
    frame_cache_done(&cache);
}

static void nearly_all_is_found_again_while_there_is_room(void **state)
{
    uint32_t missing = 0;
    (void)state;
    frame_cache_init(&cache, 16 << 20);
    for (uint32_t i = 1; i <= 200000; i++)
        keep(0x7f0000000000 + (uint64_t)i * 8, (int32_t)(i % 50), i % 3, i);
    for (uint32_t i = 1; i <= 200000; i++) {
        frame_id found = find(0x7f0000000000 + (uint64_t)i * 8, (int32_t)(i % 50), i % 3);
        assert_true(found == 0 || found == i);
        missing += found == 0;
    }
    assert_true(missing < 2000);
    frame_cache_done(&cache);
}

static void new_frames_take_the_places_of_old_ones_when_it_is_full(void **state)
{
    uint32_t known = 0;
    (void)state;
    frame_cache_init(&cache, 1);
    for (uint32_t i = 1; i <= 100000; i++) {
        keep(i, 0, 0, i);
        assert_int_equal(find(i, 0, 0), i);
    }
    for (uint32_t i = 1; i <= 100000; i++)
        known += find(i, 0, 0) == i;
    assert_in_range(known, 500, 1024);
    frame_cache_done(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_cache_knows_nothing),
        cmocka_unit_test(a_frame_is_told_by_method_bci_and_space),
        cmocka_unit_test(what_was_found_comes_back_whole),
        cmocka_unit_test(nearly_all_is_found_again_while_there_is_room),
        cmocka_unit_test(new_frames_take_the_places_of_old_ones_when_it_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
