/* cli_jfr_around.c - the event that encloses another one. SPDX-License-Identifier: Apache-2.0 */
#include "jfr/jfr_around.h"
#include "cmocka_all.h"

static void the_innermost_event_of_the_thread_is_around(void **state)
{
    struct jfr_around a = {0};
    (void)state;
    jfr_around_add(&a, 1, 20, 30, "inner", 5);
    jfr_around_add(&a, 1, 10, 100, "outer", 5);
    jfr_around_add(&a, 1, 40, 50, "second", 6);
    jfr_around_add(&a, 2, 0, 1000, "other", 5);
    jfr_around_add(&a, 1, 40, 45, "short", 5);
    jfr_around_sort(&a);
    assert_string_equal(jfr_around_find(&a, 1, 22, 28), "inner");
    assert_string_equal(jfr_around_find(&a, 1, 20, 30), "inner");
    assert_string_equal(jfr_around_find(&a, 1, 22, 31), "outer");
    assert_string_equal(jfr_around_find(&a, 1, 31, 35), "outer");
    assert_string_equal(jfr_around_find(&a, 1, 41, 44), "short");
    assert_string_equal(jfr_around_find(&a, 1, 41, 47), "second");
    assert_string_equal(jfr_around_find(&a, 2, 22, 28), "other");
    assert_null(jfr_around_find(&a, 1, 5, 15));
    assert_null(jfr_around_find(&a, 1, 90, 101));
    assert_null(jfr_around_find(&a, 3, 20, 30));
    jfr_around_done(&a);
}

static void what_overlaps_is_there_too(void **state)
{
    struct jfr_around a = {0};
    const char *texts[2];
    (void)state;
    jfr_around_add(&a, 1, 10, 20, "first", 5);
    jfr_around_add(&a, 1, 15, 30, "second", 6);
    jfr_around_add(&a, 1, 16, 17, "short", 5);
    jfr_around_add(&a, 1, 18, 40, "third", 5);
    jfr_around_sort(&a);
    assert_int_equal(jfr_around_at(&a, 1, 15, texts, 2), 2);
    assert_string_equal(texts[0], "first");
    assert_string_equal(texts[1], "second");
    assert_int_equal(jfr_around_at(&a, 1, 25, texts, 2), 2);
    assert_string_equal(texts[0], "second");
    assert_string_equal(texts[1], "third");
    assert_int_equal(jfr_around_at(&a, 1, 19, texts, 2), 2); /* of three */
    assert_string_equal(texts[1], "third");
    assert_int_equal(jfr_around_at(&a, 1, 35, texts, 2), 1);
    assert_int_equal(jfr_around_at(&a, 1, 41, texts, 2), 0);
    assert_int_equal(jfr_around_at(&a, 2, 15, texts, 2), 0);
    assert_string_equal(jfr_around_find(&a, 1, 18, 19), "third");
    assert_string_equal(jfr_around_find(&a, 1, 16, 18), "second");
    jfr_around_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_innermost_event_of_the_thread_is_around),
        cmocka_unit_test(what_overlaps_is_there_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
