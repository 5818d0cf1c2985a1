/*
 * agent_verify_compare.c - two stacks, and what is said of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "agent/verify/verify_compare.h"

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof((a)[0])))

/* A frame of a method that is known by its name. */
static struct verify_frame at(uint32_t name, int32_t bci)
{
    return (struct verify_frame){.name = name, .bci = bci};
}

static enum verify_kind kind_of(const struct verify_frame *ours, uint32_t our_count,
                                const struct verify_frame *theirs, uint32_t their_count,
                                uint32_t expected_at)
{
    uint32_t where = 99;
    enum verify_kind kind = verify_compare(ours, our_count, theirs, their_count, &where);
    if (kind != VERIFY_SAME)
        assert_int_equal(where, expected_at);
    return kind;
}

static void the_entry_of_a_method_has_two_indexes(void **state)
{
    const struct verify_frame ours[] = {at(1, -1), at(2, 5)}, theirs[] = {at(1, 0), at(2, 5)};
    assert_int_equal(kind_of(ours, 2, theirs, 2, 0), VERIFY_SAME);
    assert_int_equal(kind_of(theirs, 2, ours, 2, 0), VERIFY_SAME);
    const struct verify_frame native[] = {at(1, VERIFY_NATIVE_BCI), at(2, 5)};
    assert_int_equal(kind_of(ours, 2, native, 2, 0), VERIFY_TOP_BCI);
}

static void a_frame_is_known_by_its_id_or_its_name(void **state)
{
    const struct verify_frame both = {.id = 7, .name = 3}, id = {.id = 7}, name = {.name = 3},
                              neither = {.id = 0};
    assert_int_equal(kind_of(&both, 1, &id, 1, 0), VERIFY_SAME);
    assert_int_equal(kind_of(&name, 1, &both, 1, 0), VERIFY_SAME);
    assert_int_equal(kind_of(&id, 1, &name, 1, 0), VERIFY_METHODS);
    assert_int_equal(kind_of(&neither, 1, &neither, 1, 0), VERIFY_METHODS);
}

static void each_difference_has_its_kind_and_place(void **state)
{
    const struct verify_frame ours[] = {at(1, 1), at(2, 2), at(3, 3), at(4, 4)};
    const struct verify_frame top[] = {at(1, 9), at(2, 2), at(3, 3), at(4, 4)};
    const struct verify_frame inner[] = {at(1, 9), at(2, 2), at(3, 8), at(4, 4)};
    const struct verify_frame skips[] = {at(1, 1), at(3, 3), at(4, 4)};
    const struct verify_frame other[] = {at(1, 1), at(5, 3), at(4, 4)};
    assert_int_equal(kind_of(ours, 4, ours, 4, 0), VERIFY_SAME);
    assert_int_equal(kind_of(ours, 4, top, 4, 0), VERIFY_TOP_BCI);
    assert_int_equal(kind_of(ours, 4, inner, 4, 2), VERIFY_BCI); /* the outermost of two */
    assert_int_equal(kind_of(ours, 4, ours, 3, 3), VERIFY_CUT);
    assert_int_equal(kind_of(ours, 3, ours, 4, 3), VERIFY_WALK_CUT);
    assert_int_equal(kind_of(ours, 4, skips, 3, 1), VERIFY_SKIPS);
    assert_int_equal(kind_of(skips, 3, ours, 4, 1), VERIFY_WALK_SKIPS);
    assert_int_equal(kind_of(ours, 4, other, 3, 1), VERIFY_METHODS);
    assert_int_equal(kind_of(ours, 0, ours, 4, 0), VERIFY_WALK_CUT);
    assert_int_equal(kind_of(ours, 0, ours, 0, 0), VERIFY_SAME);
}

static void what_two_stacks_share_is_counted_from_the_outermost(void **state)
{
    const struct verify_frame ours[] = {at(1, 1), at(2, 2), at(3, 3), at(4, 4)};
    const struct verify_frame later[] = {at(6, 1), at(3, 7), at(4, 4)};
    assert_int_equal(verify_compare_common(ours, 4, ours, 4, 1), 4);
    assert_int_equal(verify_compare_common(ours, 4, later, 3, 0), 2);
    assert_int_equal(verify_compare_common(ours, 4, later, 3, 1), 1);
    assert_int_equal(verify_compare_common(ours, 3, later, 3, 0), 0);
    assert_int_equal(verify_compare_common(ours, 0, later, 3, 0), 0);
}

static void what_is_wanted_must_come_in_order(void **state)
{
    const uint64_t innermost_first[] = {50, 40, 30, 20, 10};
    const uint64_t all[] = {10, 20, 30, 40, 50}, some[] = {10, 40}, turned[] = {20, 10},
                   twice[] = {10, 10}, lacks[] = {10, 11, 20};
    assert_int_equal(verify_compare_contains(innermost_first, 5, all, COUNT(all)), 5);
    assert_int_equal(verify_compare_contains(innermost_first, 5, some, COUNT(some)), 2);
    assert_int_equal(verify_compare_contains(innermost_first, 5, turned, COUNT(turned)), 1);
    assert_int_equal(verify_compare_contains(innermost_first, 5, twice, COUNT(twice)), 1);
    assert_int_equal(verify_compare_contains(innermost_first, 5, lacks, COUNT(lacks)), 1);
    assert_int_equal(verify_compare_contains(innermost_first, 0, some, COUNT(some)), 0);
    assert_int_equal(verify_compare_contains(innermost_first, 5, some, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_entry_of_a_method_has_two_indexes),
        cmocka_unit_test(a_frame_is_known_by_its_id_or_its_name),
        cmocka_unit_test(each_difference_has_its_kind_and_place),
        cmocka_unit_test(what_two_stacks_share_is_counted_from_the_outermost),
        cmocka_unit_test(what_is_wanted_must_come_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
