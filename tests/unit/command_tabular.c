/*
 * command_tabular.c - rows of a table, sorted and written as CSV and JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "command/tabular.h"
#include <math.h>
#include <string.h>
#include "base/err.h"
#include "base/sink.h"

static void fill(struct tabular *t)
{
    tabular_columns(t, "name size share");
    tabular_text(t, "b");
    tabular_number(t, 10);
    tabular_real(t, 0.25);
    tabular_text(t, "c, \"d\"");
    tabular_nothing(t);
    tabular_real(t, NAN);
    tabular_text(t, "a");
    tabular_unsigned(t, UINT64_MAX);
    tabular_real(t, 0.1);
}

static void assert_order(const char *sort, size_t first, size_t second, size_t third)
{
    struct tabular_how how = {.sort = sort};
    struct tabular_out out = {.how = &how, .command = "test"};
    struct tabular t = {0};
    fill(&t);
    assert_true(tabular_place(&out, &t, 0));
    assert_int_equal(tabular_check(&out), 0);
    assert_int_equal(tabular_rows(&t), 3);
    assert_int_equal(tabular_at(&t, 0), first);
    assert_int_equal(tabular_at(&t, 1), second);
    assert_int_equal(tabular_at(&t, 2), third);
    tabular_done(&t);
    tabular_drop(&out);
}

static void numbers_fall_texts_rise_and_nothing_comes_last(void **state)
{
    (void)state;
    assert_order("size", 2, 0, 1);
    assert_order("size:asc", 0, 2, 1);
    assert_order("name", 2, 0, 1);
    assert_order("name:desc", 1, 0, 2);
    assert_order("share", 0, 2, 1);
    assert_order("SHARE:asc", 2, 0, 1);
}

static void equal_rows_stay_in_their_order(void **state)
{
    struct tabular_how how = {.sort = "n"};
    struct tabular_out out = {.how = &how, .command = "test"};
    struct tabular t = {0};
    (void)state;
    tabular_column(&t, "n");
    for (int i = 0; i < 1000; i++)
        tabular_number(&t, i % 2);
    assert_true(tabular_place(&out, &t, 0));
    for (size_t i = 0; i < 500; i++) {
        assert_int_equal(tabular_at(&t, i), 2 * i + 1);
        assert_int_equal(tabular_at(&t, i + 500), 2 * i);
    }
    tabular_done(&t);
    tabular_drop(&out);
}

static void a_column_that_is_not_there_is_refused_unless_another_table_has_it(void **state)
{
    struct tabular_how how = {.sort = "width"};
    struct tabular_out out = {.how = &how, .command = "test"};
    struct tabular t = {0}, other = {0};
    (void)state;
    fill(&t);
    tabular_place(&out, &t, 0);
    tabular_column(&other, "width");
    tabular_number(&other, 1);
    tabular_place(&out, &other, 0);
    assert_int_equal(tabular_check(&out), 0);
    tabular_drop(&out);
    out = (struct tabular_out){.how = &how, .command = "test"};
    tabular_place(&out, &t, 0);
    assert_int_equal(tabular_check(&out), E_NOT_FOUND);
    tabular_done(&t);
    tabular_done(&other);
    tabular_drop(&out);
}

static void rows_as_data_have_all_digits_and_what_the_forms_want_in_quotes(void **state)
{
    struct tabular_how how = {.form = TABULAR_CSV};
    struct tabular_out out = {.how = &how, .command = "test"};
    struct tabular t = {0};
    (void)state;
    fill(&t);
    assert_false(tabular_place(&out, &t, 0));
    textbuf_char(&out.text, '\0');
    assert_string_equal(out.text.bytes,
                        "b,10,0.25\r\n\"c, \"\"d\"\"\",,\r\na,18446744073709551615,0.1\r\n");
    tabular_drop(&out);
    how.form = TABULAR_JSON;
    out = (struct tabular_out){.how = &how, .command = "test", .has_inputs = true, .input = "x"};
    assert_false(tabular_place(&out, &t, 2));
    textbuf_char(&out.text, '\0');
    assert_string_equal(out.text.bytes,
                        "{\"input\":\"x\",\"name\":\"b\",\"size\":10,\"share\":0.25},\n"
                        "{\"input\":\"x\",\"name\":\"c, \\\"d\\\"\",\"size\":null,\"share\":null}");
    tabular_done(&t);
    tabular_drop(&out);
}

static void csv_has_one_table_and_one_list_of_columns(void **state)
{
    struct tabular_how how = {.form = TABULAR_CSV};
    struct tabular_out out = {.how = &how, .command = "test", .has_tables = true};
    struct tabular t = {.name = "one"}, other = {.name = "two"};
    (void)state;
    fill(&t);
    tabular_column(&other, "width");
    tabular_place(&out, &t, 0);
    tabular_place(&out, &other, 0);
    assert_int_equal(tabular_check(&out), 0); /* a table without rows is no second one */
    tabular_number(&other, 1);
    tabular_place(&out, &other, 0);
    assert_int_equal(tabular_check(&out), E_UNSUPPORTED);
    tabular_drop(&out);
    how.table = "two";
    out = (struct tabular_out){.how = &how, .command = "test", .has_tables = true};
    tabular_place(&out, &t, 0);
    tabular_place(&out, &other, 0);
    assert_int_equal(tabular_check(&out), 0);
    assert_int_equal(out.text.len, strlen("1\r\n"));
    tabular_drop(&out);
    how.table = "three";
    out = (struct tabular_out){.how = &how, .command = "test", .has_tables = true};
    tabular_place(&out, &t, 0);
    assert_int_equal(tabular_check(&out), E_NOT_FOUND);
    tabular_done(&t);
    tabular_done(&other);
    tabular_drop(&out);
}

static void headings_become_names(void **state)
{
    char key[16];
    (void)state;
    tabular_key("Heap used (MB)", key, sizeof(key));
    assert_string_equal(key, "heap_used_mb");
    tabular_key("P99.9", key, sizeof(key));
    assert_string_equal(key, "p99.9");
    tabular_key("a heading that is far too long", key, sizeof(key));
    assert_string_equal(key, "a_heading_that");
}

static void the_values_of_the_options_are_checked(void **state)
{
    enum tabular_form form;
    const char *sort = NULL;
    (void)state;
    assert_int_equal(tabular_take_form("test", "json", &form), 0);
    assert_int_equal(form, TABULAR_JSON);
    assert_int_equal(tabular_take_form("test", "xml", &form), E_SYNTAX);
    assert_int_equal(tabular_take_sort("test", "a:up", &sort), E_SYNTAX);
    assert_int_equal(tabular_take_sort("test", ":asc", &sort), E_SYNTAX);
    assert_null(sort);
    assert_int_equal(tabular_take_sort("test", "a:asc", &sort), 0);
    assert_string_equal(sort, "a:asc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_fall_texts_rise_and_nothing_comes_last),
        cmocka_unit_test(equal_rows_stay_in_their_order),
        cmocka_unit_test(a_column_that_is_not_there_is_refused_unless_another_table_has_it),
        cmocka_unit_test(rows_as_data_have_all_digits_and_what_the_forms_want_in_quotes),
        cmocka_unit_test(csv_has_one_table_and_one_list_of_columns),
        cmocka_unit_test(headings_become_names),
        cmocka_unit_test(the_values_of_the_options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
