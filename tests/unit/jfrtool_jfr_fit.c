/* cli_jfr_fit.c - widths of columns, and what becomes of cells that do not fit.
 * SPDX-License-Identifier: Apache-2.0 */
#include "jfrtool/jfr_fit.h"
#include <string.h>
#include "base/sink.h"
#include "jfrtool/jfr_printer.h"
#include "cmocka_all.h"

static void the_widest_columns_are_cut_and_what_is_left_goes_to_the_first(void **state)
{
    const struct jfr_fit layout = {.width = 30};
    const bool keeps[] = {false, true, false, false};
    size_t widths[] = {90, 7, 3, 40};
    (void)state;
    assert_int_equal(jfr_fit_widths(&layout, widths, keeps, 4), 0);
    assert_int_equal(widths[0], 7);
    assert_int_equal(widths[1], 7);
    assert_int_equal(widths[2], 3);
    assert_int_equal(widths[3], 7);
    assert_int_equal(jfr_fit_widths(&layout, widths, keeps, 4), 0);
    assert_int_equal(widths[0], 7);
}

static void columns_that_cannot_fit_stay_and_say_what_they_need(void **state)
{
    const struct jfr_fit layout = {.width = 12};
    const bool keeps[] = {true, false};
    size_t widths[] = {7, 40};
    (void)state;
    assert_int_equal(jfr_fit_widths(&layout, widths, keeps, 2), 7 + 2 + 4);
    assert_int_equal(widths[1], 40);
    assert_int_equal(jfr_fit_widths(&(struct jfr_fit){0}, widths, keeps, 2), 0);
    assert_int_equal(widths[1], 40);
}

/* The row as text; `cells` end with an empty one, which is none of them. */
static void expect_row(const struct jfr_fit *layout, const char *cells, const char *expected)
{
    static const size_t widths[] = {8, 5};
    static const bool is_right[] = {false, true};
    struct jfr_printer printer;
    struct sink sink;
    assert_int_equal(sink_init(&sink, -1), 0);
    assert_int_equal(jfr_printer_init(&printer, &sink, 1), 0);
    const char *behind = jfr_fit_row(layout, &printer, cells, widths, is_right, 2);
    assert_int_equal(*behind, '\0');
    jfr_printer_flush(&printer);
    assert_int_equal(sink.used, strlen(expected));
    assert_memory_equal(sink.buffer, expected, sink.used);
    jfr_printer_done(&printer);
    sink_done(&sink);
}

static void a_text_loses_the_side_that_was_chosen(void **state)
{
    const struct jfr_fit end = {.width = 15}, beginning = {.width = 15, .cuts_beginning = true};
    (void)state;
    expect_row(&end, "abcdefgh\0001\0", "abcdefgh      1\n");
    expect_row(&end, "abcdefghi\0001\0", "abcde...      1\n");
    expect_row(&beginning, "abcdefghi\0001\0", "...efghi      1\n");
    expect_row(&end,
               "\xc3\xa4\xc3\xb6\xc3\xbc"
               "defghi\0001\0",
               "\xc3\xa4\xc3\xb6\xc3\xbc"
               "de...      1\n");
    expect_row(&beginning,
               "abc\xc3\xa4\xc3\xb6\xc3\xbc"
               "ghij\0001\0",
               "...\xc3\xbc"
               "ghij      1\n");
}

static void a_method_loses_its_arguments_first(void **state)
{
    const struct jfr_fit end = {.width = 15}, beginning = {.width = 15, .cuts_beginning = true};
    (void)state;
    expect_row(&end, "A.f(int, int)\0001\0", "A.f(...)      1\n");
    expect_row(&end, "A.f(int)\0001\0", "A.f(int)      1\n");
    expect_row(&end, "pkg.A.f(int)\0001\0", "pkg.A...      1\n");
    expect_row(&beginning, "pkg.A.f(int)\0001\0", "...(...)      1\n");
    expect_row(&end, "not a method (x)\0001\0", "not a...      1\n");
}

static void a_cell_of_several_lines_goes_on_or_has_them_itself(void **state)
{
    const struct jfr_fit end = {.width = 15, .cell_height = 2},
                         beginning = {.width = 15, .cell_height = 2, .cuts_beginning = true};
    (void)state;
    expect_row(&end, "abcdefghijkl\0001\0", "abcdefgh      1\nijkl           \n");
    expect_row(&end, "abcdefghijklmnopq\0001\0", "abcdefgh      1\nijklm...       \n");
    expect_row(&beginning, "abcdefghijklmnopq\0001\0", "...efghi      1\njklmnopq       \n");
    expect_row(&end, "a\nabcdefghi\nc\0001\0", "a             1\nabcde...       \n");
    expect_row(&end, "\0001\0", "              1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_widest_columns_are_cut_and_what_is_left_goes_to_the_first),
        cmocka_unit_test(columns_that_cannot_fit_stay_and_say_what_they_need),
        cmocka_unit_test(a_text_loses_the_side_that_was_chosen),
        cmocka_unit_test(a_method_loses_its_arguments_first),
        cmocka_unit_test(a_cell_of_several_lines_goes_on_or_has_them_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
