/*
 * watch_watch_labels.c - labels of a JVM: which source comes before which, and what is left out.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_labels.h"
#include <stdio.h>
#include <string.h>
#include "cmocka_all.h"

#define ID "0123456789abcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"

static void options_come_before_variables_and_the_name_before_the_list(void **state)
{
    (void)state;
    static const char environment[] = "PATH=/bin\0OTEL_SERVICE_NAME=two\0SECRET=x\0"
                                      "OTEL_RESOURCE_ATTRIBUTES=service.name=one,a=1%2c2, b=3";
    static const struct {
        const char *options, *service, *a, *b;
    } rows[] = {
        {NULL, "two", "1,2", "3"},
        {"-Xmx1g", "two", "1,2", "3"},
        {"-Dotel.service.name=three -Xmx1g", "three", "1,2", "3"},
        {"-Dotel.resource.attributes=a=9 -Dotel.service.name=x -Dotel.service.name=four", "four",
         "9", NULL},
        {"-Dx=-Dotel.service.name=five", "two", "1,2", "3"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct watch_labels l = {.count = 0};
        watch_labels_of_program(&l, environment, sizeof(environment), rows[i].options);
        assert_string_equal(watch_labels_get(&l, "service.name"), rows[i].service);
        assert_string_equal(watch_labels_get(&l, "a"), rows[i].a);
        if (rows[i].b)
            assert_string_equal(watch_labels_get(&l, "b"), rows[i].b);
        else
            assert_null(watch_labels_get(&l, "b"));
        assert_null(watch_labels_get(&l, "SECRET"));
    }
}

static void what_the_system_knows_replaces_what_a_program_says(void **state)
{
    (void)state;
    struct watch_labels l = {.count = 0};
    watch_labels_set_list(&l, "k8s.pod.uid=forged,container.id=forged");
    watch_labels_of_groups(&l, "0::/kubepods/burstable/pod01234567-89ab-cdef-0123-456789abcdef/" ID
                               "\n");
    assert_string_equal(watch_labels_get(&l, "container.id"), ID);
    assert_string_equal(watch_labels_get(&l, "k8s.pod.uid"),
                        "01234567-89ab-cdef-0123-456789abcdef");
    assert_int_equal(l.count, 2);
}

static void odd_keys_and_values_do_no_harm(void **state)
{
    (void)state;
    struct watch_labels l = {.count = 0};
    char list[20000] = "";
    watch_labels_set_list(&l, "=x,key,a b=1,\n=2,good=\033[31m,,empty=,c=d=e");
    assert_int_equal(l.count, 2);
    assert_string_equal(watch_labels_get(&l, "good"), "?[31m");
    assert_string_equal(watch_labels_get(&l, "c"), "d=e");
    for (int i = 0; i < 1000; i++)
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "k%d=v,", i);
    watch_labels_set_list(&l, list);
    assert_int_equal(l.count, WATCH_LABELS_MAX);
    memset(list, 'v', sizeof(list) - 1);
    memcpy(list, "c=", 2);
    watch_labels_set_list(&l, list);
    assert_int_equal(strlen(watch_labels_get(&l, "c")), WATCH_LABELS_VALUE - 1);
    memset(list, 'k', 2000);
    list[2000] = '=';
    watch_labels_set_list(&l, list);
    assert_int_equal(l.count, WATCH_LABELS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_come_before_variables_and_the_name_before_the_list),
        cmocka_unit_test(what_the_system_knows_replaces_what_a_program_says),
        cmocka_unit_test(odd_keys_and_values_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
