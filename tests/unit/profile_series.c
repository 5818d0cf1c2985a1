/*
 * The values of a profile that users ask for by a word, which the kinds of events name.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/series.h"
#include "cmocka_all.h"
#include <stdint.h>

/* Two of one rank would hide each other. */
static void each_value_has_a_rank_and_a_word_of_its_own(void **state)
{
    (void)state;
    uint32_t listed = 0, made = 0;
    for (const struct series *each = series_next(NULL); each; each = series_next(each)) {
        assert_ptr_equal(series_named(each->word), each);
        listed++;
    }
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (int i = 0; i < KIND_SERIES; i++)
            made += kind_all[kind]->series[i].rank > 0;
    assert_int_equal(listed, made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_value_has_a_rank_and_a_word_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
