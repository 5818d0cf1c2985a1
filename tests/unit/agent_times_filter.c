/*
 * agent_times_filter.c - the patterns of include= and exclude=.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_filter.h"
#include <string.h>
#include "cmocka_all.h"

static int has(const char *patterns, const char *class_name, const char *name)
{
    return times_filter_has(patterns, class_name, strlen(class_name), name, strlen(name));
}

static int may(const char *patterns, const char *class_name)
{
    return times_filter_may_have(patterns, class_name, strlen(class_name));
}

static void a_class_means_its_methods(void **state)
{
    assert_true(has("java.util.HashMap", "java/util/HashMap", "put"));
    assert_true(has("java/util/HashMap", "java/util/HashMap", "put"));
    assert_false(has("java.util.HashMap", "java/util/HashMap$Node", "put"));
    assert_false(has("java.util", "java/util/HashMap", "put"));
}

static void a_method_means_itself(void **state)
{
    assert_true(has("java.util.HashMap.put", "java/util/HashMap", "put"));
    assert_false(has("java.util.HashMap.put", "java/util/HashMap", "putAll"));
    assert_true(has("java.util.HashMap.<init>", "java/util/HashMap", "<init>"));
}

static void a_star_is_anything(void **state)
{
    assert_true(has("java.util.*", "java/util/concurrent/Phaser", "arrive"));
    assert_true(has("*.put*", "java/util/HashMap", "putAll"));
    assert_true(has("*", "A", "b"));
    assert_true(has("*a*b*c", "xxaxxb", "c"));
    assert_false(has("*a*b*c", "xxaxxb", "d"));
    assert_false(has("java.util.*", "java/lang/String", "length"));
}

static void colons_stand_between_patterns(void **state)
{
    assert_true(has("A:B.c", "A", "x"));
    assert_true(has("A:B.c", "B", "c"));
    assert_false(has("A:B.c", "B", "x"));
    assert_true(has("::A:", "A", "x"));
    assert_false(has("", "A", "x"));
}

static void a_class_may_have_methods_that_match(void **state)
{
    assert_true(may("B.c", "B"));
    assert_false(may("B.c", "A"));
    assert_true(may("*.put", "java/util/HashMap"));
    assert_true(may("java.util.*", "java/util/HashMap"));
    assert_false(may("java.util.*", "java/lang/String"));
    assert_true(may("A", "A"));
    assert_false(may("A", "AB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_means_its_methods),
        cmocka_unit_test(a_method_means_itself),
        cmocka_unit_test(a_star_is_anything),
        cmocka_unit_test(colons_stand_between_patterns),
        cmocka_unit_test(a_class_may_have_methods_that_match),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
