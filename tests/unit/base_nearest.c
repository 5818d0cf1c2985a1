/*
 * base_nearest.c - which mistyped words are worth a suggestion.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "base/nearest.h"

static void a_slip_of_the_fingers_costs_one(void **state)
{
    (void)state;
    assert_int_equal(nearest_distance("reprot", "report"), 1); /* two letters swapped */
    assert_int_equal(nearest_distance("repport", "report"), 1);
    assert_int_equal(nearest_distance("rport", "report"), 1);
    assert_int_equal(nearest_distance("rebort", "report"), 1);
    assert_int_equal(nearest_distance("repotr2", "report"), 2);
}

static void the_beginning_of_a_word_costs_nothing(void **state)
{
    (void)state;
    assert_int_equal(nearest_distance("rep", "report"), 0);
    assert_int_equal(nearest_distance("report", "report"), 0);
    assert_int_equal(nearest_distance("r", "report"), NEAREST_FAR); /* too short to mean it */
}

static void words_with_little_in_common_are_far_apart(void **state)
{
    (void)state;
    assert_int_equal(nearest_distance("stack", "report"), NEAREST_FAR);
    assert_int_equal(nearest_distance("", "report"), NEAREST_FAR);
    assert_int_equal(nearest_distance("x", "y"), NEAREST_FAR);
    assert_int_equal(nearest_distance("a-word-that-is-longer-than-any-option", "report"),
                     NEAREST_FAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slip_of_the_fingers_costs_one),
        cmocka_unit_test(the_beginning_of_a_word_costs_nothing),
        cmocka_unit_test(words_with_little_in_common_are_far_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
