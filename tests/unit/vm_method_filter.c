/*
 * vm_method_filter.c - the patterns of include= and exclude=.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/method_filter.h"
#include <string.h>
#include "cmocka_all.h"

static bool has(const char *patterns, const char *class_name, const char *name)
{
    const struct method_filter f = {.include = patterns[0] ? patterns : "nothing"};
    return method_filter_wants(&f, class_name, strlen(class_name), name, strlen(name));
}

static bool may(const char *patterns, const char *class_name)
{
    const struct method_filter f = {.include = patterns};
    return method_filter_wants_some(&f, class_name, strlen(class_name));
}

static bool wants_class(const char *include, const char *exclude, const char *class_name)
{
    const struct method_filter f = {include, exclude};
    return method_filter_wants_class(&f, class_name, strlen(class_name));
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

static void what_is_excluded_is_not_wanted(void **state)
{
    const struct method_filter f = {"A:B", "B.c:A"};
    assert_true(method_filter_wants(&f, "B", 1, "d", 1));
    assert_false(method_filter_wants(&f, "B", 1, "c", 1));
    assert_false(method_filter_wants(&f, "A", 1, "x", 1));
    assert_true(method_filter_wants_some(&f, "B", 1));
    assert_false(method_filter_wants_some(&f, "A", 1));
}

static void without_patterns_all_is_wanted(void **state)
{
    const struct method_filter f = {0};
    assert_true(method_filter_wants(&f, "A", 1, "x", 1));
    assert_true(method_filter_wants_some(&f, "A", 1));
    assert_true(wants_class("", "", "A"));
}

static void objects_are_wanted_by_their_class(void **state)
{
    assert_true(wants_class("org.acme.*", NULL, "org/acme/Foo"));
    assert_true(wants_class("org.acme.*", NULL, "org/acme/Foo[]"));
    assert_false(wants_class("org.acme.Foo", NULL, "org/acme/Foo[]"));
    assert_false(wants_class("org.acme.Foo.put", NULL, "org/acme/Foo"));
    assert_false(wants_class(NULL, "byte[]", "byte[]"));
    assert_true(wants_class(NULL, "byte[]", "char[]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_means_its_methods),
        cmocka_unit_test(a_method_means_itself),
        cmocka_unit_test(a_star_is_anything),
        cmocka_unit_test(colons_stand_between_patterns),
        cmocka_unit_test(a_class_may_have_methods_that_match),
        cmocka_unit_test(what_is_excluded_is_not_wanted),
        cmocka_unit_test(without_patterns_all_is_wanted),
        cmocka_unit_test(objects_are_wanted_by_their_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
