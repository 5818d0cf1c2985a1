/*
 * heap_allocrates.c - what a recording says of allocations, by name.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/allocrates.h"
#include "cmocka_all.h"

static void rows_of_one_name_are_added_up(void **state)
{
    (void)state;
    struct allocrates *a = allocrates_new("x.jfr");
    assert_non_null(a);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(allocrates_add(&a->classes, i % 2 ? "byte[]" : "A", 10, 1), 0);
    allocrates_seal(&a->classes);
    assert_int_equal(a->classes.count, 2);
    assert_int_equal(allocrates_find(&a->classes, "byte[]")->bytes, 5000);
    assert_int_equal(allocrates_find(&a->classes, "A")->objects, 500);
    assert_null(allocrates_find(&a->classes, "B"));
    assert_null(allocrates_find(&a->sites, "B"));
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
