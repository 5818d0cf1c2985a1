/* profile_sieve.c - which stacks pass. SPDX-License-Identifier: Apache-2.0 */
#include "profile/sieve.h"
#include <string.h>
#include "cmocka_all.h"
#include "profile/profile.h"

enum { BUDGET = 16 << 20 };

static void the_largest_pass(void **state)
{
    struct sieve *s = sieve_new(1 << 20);
    (void)state;
    assert_true(sieve_is_counting(s));
    for (uint32_t i = 1; i <= 5000; i++) {
        assert_false(sieve_passes(s, i));
        sieve_count(s, KIND_SAMPLE, i, i % 1000);
    }
    sieve_count(s, KIND_SAMPLE, 7, 100000); /* rows of several tables add up */
    assert_int_equal(sieve_keep(s, 100), 100);
    assert_false(sieve_is_counting(s));
    assert_true(sieve_passes(s, 7) && sieve_passes(s, 999) && sieve_passes(s, 4999));
    assert_false(sieve_passes(s, 8) || sieve_passes(s, 1000) || sieve_passes(s, 6000));
    assert_int_equal(sieve_folded(s), 4995 - 100); /* five had nothing */
    assert_int_equal(sieve_keep(s, 10), 10);
    assert_true(sieve_passes(s, 7) && !sieve_passes(s, 4000));
    assert_int_equal(sieve_folded(s), 4995 - 10);
    sieve_free(s);
}

/* Nanoseconds are many and samples few: each counts by its share of its kind. */
static void kinds_are_compared_by_shares(void **state)
{
    struct sieve *s = sieve_new(1 << 20);
    (void)state;
    for (uint32_t i = 1; i <= 100; i++)
        sieve_count(s, KIND_CALL, i, 1000000);
    sieve_count(s, KIND_SAMPLE, 200, 3);
    sieve_count(s, KIND_SAMPLE, 201, 2);
    sieve_need(s, 300);
    assert_int_equal(sieve_keep(s, 3), 3);
    assert_true(sieve_passes(s, 200) && sieve_passes(s, 201) && sieve_passes(s, 300));
    sieve_need(s, 17); /* too late: nothing */
    assert_false(sieve_passes(s, 17));
    sieve_free(s);
}

static void a_full_table_forgets_the_smallest(void **state)
{
    struct sieve *s = sieve_new(1 << 16); /* some thousand stacks */
    (void)state;
    sieve_need(s, 5);
    for (uint32_t i = 1; i <= 200000; i++)
        sieve_count(s, KIND_SAMPLE, 1000000 + i, i % 1000 == 0 ? 1000 : 1);
    uint32_t kept = sieve_keep(s, 300);
    assert_in_range(kept, 201, 300);
    for (uint32_t i = 1000; i <= 200000; i += 1000)
        assert_true(sieve_passes(s, 1000000 + i));
    assert_true(sieve_passes(s, 5));
    assert_int_equal(sieve_folded(s) + kept, 200001);
    sieve_free(s);
}

static void the_rest_is_one_stack_and_the_largest_number_is_known(void **state)
{
    struct sieve *s = sieve_new(1 << 16);
    struct profile *p = profile_new(BUDGET);
    (void)state;
    assert_false(sieve_passes(s, 400000));
    assert_int_equal(sieve_keep(s, 10), 0);
    sieve_begin(s, p);
    assert_int_equal(sieve_largest(s), 400000);
    assert_int_equal(profile_trace_at(p, sieve_rest(s))->depth, 1);
    profile_free(p);
    sieve_free(s);
    assert_true(sieve_passes(NULL, 1));
    assert_false(sieve_is_counting(NULL));
    sieve_need(NULL, 1);
    sieve_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_pass),
        cmocka_unit_test(kinds_are_compared_by_shares),
        cmocka_unit_test(a_full_table_forgets_the_smallest),
        cmocka_unit_test(the_rest_is_one_stack_and_the_largest_number_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
