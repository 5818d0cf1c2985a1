/*
 * cli_top_methods.c - the methods that running threads were seen in, over a window of time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "top/top_methods.h"

static const uint64_t second = 1000000000;

static void methods_are_ranked_by_how_often_they_were_seen(void **state)
{
    struct top_methods m;
    (void)state;
    assert_int_equal(top_methods_init(&m), 0);
    assert_true(top_methods_span_s(&m, 5) == 0);
    for (uint64_t i = 1; i <= 3; i++) {
        top_methods_look(&m, i * second);
        top_methods_add(&m, i * second, "A.often");
        top_methods_add(&m, i * second, i == 2 ? "A.b" : "A.c");
    }
    top_methods_rank(&m);
    assert_int_equal(m.count, 3);
    assert_int_equal(m.looks, 3);
    assert_int_equal(m.seen, 6);
    assert_string_equal(m.methods[0]->name, "A.often");
    assert_int_equal(m.methods[0]->count, 3);
    assert_string_equal(m.methods[1]->name, "A.c");
    assert_string_equal(m.methods[2]->name, "A.b");
    assert_true(top_methods_span_s(&m, 4 * second) == 3);
    top_methods_done(&m);
}

static void what_is_older_than_the_window_is_forgotten(void **state)
{
    struct top_methods m;
    (void)state;
    assert_int_equal(top_methods_init(&m), 0);
    top_methods_look(&m, second);
    top_methods_add(&m, second, "A.old");
    top_methods_look(&m, (TOP_METHODS_WINDOW_S + 1) * second);
    assert_int_equal(m.looks, 2);
    top_methods_look(&m, (TOP_METHODS_WINDOW_S + 2) * second);
    assert_int_equal(m.count, 0);
    assert_int_equal(m.looks, 2);
    assert_int_equal(m.seen, 0);
    top_methods_done(&m);
}

static void the_oldest_make_room_for_the_newest(void **state)
{
    struct top_methods m;
    (void)state;
    assert_int_equal(top_methods_init(&m), 0);
    top_methods_look(&m, second);
    top_methods_add(&m, second, "A.first");
    for (int i = 0; i < TOP_METHODS_SEEN - 1; i++)
        top_methods_add(&m, second, "A.later");
    assert_int_equal(m.looks, 0);
    assert_int_equal(m.count, 2);
    top_methods_add(&m, second, "A.first"); /* takes the place of itself */
    assert_int_equal(m.count, 2);
    assert_int_equal(m.seen, TOP_METHODS_SEEN);
    top_methods_rank(&m);
    assert_string_equal(m.methods[1]->name, "A.first");
    assert_int_equal(m.methods[1]->count, 1);
    top_methods_done(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_are_ranked_by_how_often_they_were_seen),
        cmocka_unit_test(what_is_older_than_the_window_is_forgotten),
        cmocka_unit_test(the_oldest_make_room_for_the_newest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
