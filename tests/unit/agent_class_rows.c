/*
 * agent_class_rows.c - the classes that have a tag, while threads say that some are gone.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/classload/class_rows.h"
#include <pthread.h>
#include "cmocka_all.h"

enum { SOME = 10000, THREADS = 4 };

static int64_t add(uint32_t number)
{
    return class_rows_add(
        &(struct class_rows_class){.klass = number, .loader = number + 1, .trace = number + 2});
}

static void a_class_comes_back_once_it_is_gone(void **state)
{
    (void)state;
    struct class_rows_class c;
    int64_t first = add(7), second = add(8);
    assert_true(first != 0 && second != 0 && first != second);
    assert_false(class_rows_next(&c));
    class_rows_gone(second);
    assert_true(class_rows_next(&c));
    assert_int_equal(c.klass, 8);
    assert_int_equal(c.loader, 9);
    assert_int_equal(c.trace, 10);
    assert_false(class_rows_next(&c));
    assert_true(add(9) == second); /* its row is free again */
    class_rows_clear();
}

static void a_tag_means_nothing_after_the_table_was_cleared(void **state)
{
    (void)state;
    struct class_rows_class c;
    int64_t tag = add(7);
    class_rows_clear();
    int64_t later = add(8);
    class_rows_gone(tag);
    assert_false(class_rows_is_tag(tag));
    assert_false(class_rows_is_tag(0));
    assert_true(class_rows_is_tag(later));
    assert_true(class_rows_is_tag(class_rows_none()));
    class_rows_gone(class_rows_none());
    class_rows_gone(0);
    class_rows_gone(later + CLASS_ROWS_MAX);
    assert_false(class_rows_next(&c));
    class_rows_gone(later);
    assert_true(class_rows_next(&c));
    assert_int_equal(c.klass, 8);
    class_rows_clear();
}

static void the_number_of_classes_has_a_bound(void **state)
{
    (void)state;
    struct class_rows_class c;
    int64_t last = 0;
    for (uint32_t i = 0; i < CLASS_ROWS_MAX; i++)
        assert_true((last = add(i)) != 0);
    assert_true(add(1) == 0);
    class_rows_gone(last);
    assert_true(class_rows_next(&c));
    assert_true(add(1) == last);
    class_rows_clear();
}

struct work {
    int64_t *tags;
    uint32_t first;
};

static void *say_gone(void *arg)
{
    const struct work *w = arg;
    for (uint32_t i = w->first; i < SOME; i += THREADS)
        class_rows_gone(w->tags[i]);
    return NULL;
}

static void each_class_is_told_once_by_many_threads(void **state)
{
    (void)state;
    static int64_t tags[SOME];
    static bool is_seen[SOME];
    pthread_t threads[THREADS];
    struct work work[THREADS];
    uint32_t seen = 0;
    struct class_rows_class c;
    for (uint32_t i = 0; i < SOME; i++)
        tags[i] = add(i);
    for (uint32_t i = 0; i < THREADS; i++) {
        work[i] = (struct work){tags, i};
        assert_int_equal(pthread_create(&threads[i], NULL, say_gone, &work[i]), 0);
    }
    while (seen < SOME) {
        if (!class_rows_next(&c))
            continue;
        assert_false(is_seen[c.klass]);
        is_seen[c.klass] = true;
        seen++;
    }
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_false(class_rows_next(&c));
    class_rows_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_comes_back_once_it_is_gone),
        cmocka_unit_test(a_tag_means_nothing_after_the_table_was_cleared),
        cmocka_unit_test(the_number_of_classes_has_a_bound),
        cmocka_unit_test(each_class_is_told_once_by_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
