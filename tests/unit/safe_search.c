/* safe_search.c - where a number belongs in a sorted array. SPDX-License-Identifier: Apache-2.0 */
#include "safe/search.h"
#include "cmocka_all.h"

struct row {
    char kind;
    uint64_t start;
};

static const struct row rows[] = {{'a', 10}, {'b', 20}, {'c', 20}, {'d', UINT64_MAX}};

static void it_counts_the_rows_up_to_a_number(void **state)
{
    (void)state;
    static const struct {
        uint64_t key;
        uint32_t upto;
    } expected[] = {{0, 0},         {9, 0}, {10, 1}, {19, 1}, {20, 3}, {21, 3}, {UINT64_MAX - 1, 3},
                    {UINT64_MAX, 4}};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        assert_int_equal(SEARCH_UPTO(rows, 4, start, expected[i].key), expected[i].upto);
    assert_int_equal(SEARCH_UPTO(rows, 2, start, 20), 2);
}

static void an_empty_array_has_none(void **state)
{
    (void)state;
    const struct row *none = NULL;
    assert_int_equal(search_upto(none, 0, sizeof(*none), 0, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_counts_the_rows_up_to_a_number),
        cmocka_unit_test(an_empty_array_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
