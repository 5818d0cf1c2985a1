/*
 * probe_probe_where.c - conditions on hits and pairs, and the names of functions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_where.h"
#include <elf.h>
#include <string.h>
#include "base/err.h"
#include "probe/probe_function.h"
#include "probe/probe_row.h"
#include "cmocka_all.h"

static struct probe_hit_form form_of(const char *name, const char *words)
{
    const struct probe_hit_source of = {"p", name, "8@%rdi -4@%esi 8@%rdx", words, EM_X86_64};
    struct probe_hit_form form;
    probe_hit_form(&of, &form);
    return form;
}

static const struct probe_hit_value values[] = {
    {.is = PROBE_HIT_TEXT_VALUE, .text = "java.lang.Foo", .len = 13},
    {.is = PROBE_HIT_SIGNED, .number = (uint64_t)-3}};

/* Whether the condition is true for a pair of 2 ms whose begin has class=java.lang.Foo and
 * code=-3, and whose end has code=-3; -1: it cannot be asked. */
static int answer_of(const char *text)
{
    struct probe_hit_form begin = form_of("b", "class:str code"),
                          end = form_of("e", "class:str code");
    struct probe_where where = {.count = 0};
    struct probe_row row = {
        .form = &begin, .end = &end, .has_duration = true, .duration_ns = 2000000, .tid = 42};
    char why[PROBE_WHERE_WHY];
    begin.count = end.count = 2;
    probe_row_add(&row, &begin, values);
    probe_row_add_end(&row, &end, values, 1);
    assert_int_equal(probe_where_add(&where, text), 0);
    if (probe_where_try(&where, &row, why) || probe_where_unknown(&where))
        return -1;
    return probe_where_holds(&where, &row);
}

static void test_fields_are_compared_by_what_they_are(void **state)
{
    (void)state;
    assert_int_equal(answer_of("class=java.*"), 1);
    assert_int_equal(answer_of("class!=java.*"), 0);
    assert_int_equal(answer_of("class=Foo"), 0);
    assert_int_equal(answer_of("code=-3"), 1);
    assert_int_equal(answer_of("code<0"), 1);
    assert_int_equal(answer_of("end_code>=-3"), 1);
    assert_int_equal(answer_of("duration>1.5ms"), 1);
    assert_int_equal(answer_of("duration<=1ms"), 0);
    assert_int_equal(answer_of("tid=42"), 1);
    assert_int_equal(answer_of("tid!=42"), 0);
}

static void test_what_cannot_be_compared_is_refused(void **state)
{
    (void)state;
    assert_int_equal(answer_of("clas=java.*"), -1);
    assert_int_equal(answer_of("class>java"), -1);
    assert_int_equal(answer_of("code=many"), -1);
    assert_int_equal(answer_of("duration>3 apples"), -1);
    assert_int_equal(answer_of("end_class=x"), -1); /* it is the same as class, and stands once */
}

static void test_a_value_that_could_not_be_read_is_unequal(void **state)
{
    static const struct probe_hit_value none[] = {{.is = PROBE_HIT_NONE}};
    struct probe_hit_form form = form_of("b", "class:str");
    struct probe_where where = {.count = 0};
    struct probe_row row = {.form = &form};
    char why[PROBE_WHERE_WHY];
    (void)state;
    form.count = 1;
    probe_row_add(&row, &form, none);
    assert_int_equal(probe_where_add(&where, "class!=x"), 0);
    assert_int_equal(probe_where_try(&where, &row, why), 0);
    assert_true(probe_where_holds(&where, &row));
    assert_int_equal(probe_where_add(&where, "class=*"), 0);
    assert_int_equal(probe_where_try(&where, &row, why), 0);
    assert_false(probe_where_holds(&where, &row)); /* of several, all must hold */
}

static void test_a_pair_has_no_duration_field_without_an_end(void **state)
{
    struct probe_hit_form form = form_of("b", "class:str");
    struct probe_where where = {.count = 0};
    struct probe_row row = {.form = &form};
    char why[PROBE_WHERE_WHY];
    (void)state;
    probe_row_add(&row, &form, NULL);
    assert_int_equal(probe_where_add(&where, "duration>1ms"), 0);
    assert_int_equal(probe_where_try(&where, &row, why), 0);
    assert_non_null(probe_where_unknown(&where));
}

static void test_names_of_functions(void **state)
{
    static const char *const good[] = {"uprobe:libc:read",
                                       "uretprobe:libc:read",
                                       "uprobe:/lib/x.so:f(fd:int,name:str,size)",
                                       "uretprobe:libc:getenv(str)",
                                       "uprobe:libjvm:VMThread::execute",
                                       "uprobe:libc:*alloc",
                                       "uprobe:libc:sync()"};
    static const char *const bad[] = {"uprobe:",
                                      "uprobe:libc",
                                      "uprobe:libc:",
                                      "uprobe::read",
                                      "uprobe:libc:read(",
                                      "uprobe:a:b(c:d)",
                                      "uprobe:a:b(1,2",
                                      "uprobe:a:b(a,b,c,d,e,f,g)",
                                      "uretprobe:a:b(int,int)",
                                      "uretprobe:a:b(fd)",
                                      "uprobe:libc:read(fd:int)x",
                                      "uprobe:libjvm::execute",
                                      "uprobe:a:b(a b)"};
    const char *why;
    (void)state;
    assert_false(probe_function_is("usdt:a:b"));
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
        assert_true(probe_function_is(good[i]) && probe_function_check(good[i], &why));
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        why = NULL;
        assert_true(probe_function_is(bad[i]));
        assert_false(probe_function_check(bad[i], &why));
        assert_non_null(why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_are_compared_by_what_they_are),
        cmocka_unit_test(test_what_cannot_be_compared_is_refused),
        cmocka_unit_test(test_a_value_that_could_not_be_read_is_unequal),
        cmocka_unit_test(test_a_pair_has_no_duration_field_without_an_end),
        cmocka_unit_test(test_names_of_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
