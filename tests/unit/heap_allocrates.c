/*
 * heap_allocrates.c - what a recording says of allocations, by name.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/allocrates.h"
#include <string.h>
#include "cmocka_all.h"

static void rows_of_one_name_are_added_up(void **state)
{
    (void)state;
    struct allocrates *a = allocrates_new("x.jfr");
    assert_non_null(a);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(heapsummary_add(&a->classes, strdup(i % 2 ? "byte[]" : "A"), 1, 10, 0), 0);
    heapsummary_merge(&a->classes);
    assert_int_equal(a->classes.count, 2);
    assert_string_equal(a->classes.rows[0].name, "A");
    assert_int_equal(a->classes.rows[0].objects, 500);
    assert_string_equal(a->classes.rows[1].name, "byte[]");
    assert_int_equal(a->classes.rows[1].shallow, 5000);
    assert_int_equal(a->sites.count, 0);
    allocrates_free(a);
}

static void a_site_is_its_innermost_frames(void **state)
{
    (void)state;
    char site[ALLOCRATES_SITE_ROOM] = "";
    assert_true(allocrates_add_frame(site, 0, "A", "a"));
    assert_true(allocrates_add_frame(site, 1, "B", "b"));
    assert_false(allocrates_add_frame(site, 2, "C", "c"));
    assert_false(allocrates_add_frame(site, 3, "D", "d"));
    assert_string_equal(site, "A.a < B.b < C.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_one_name_are_added_up),
        cmocka_unit_test(a_site_is_its_innermost_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
