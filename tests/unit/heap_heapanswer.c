/*
 * heap_heapanswer.c - one description of an answer, and its three forms.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heapanswer.h"
#include <string.h>
#include "base/sink.h"
#include "cmocka_all.h"
#include "heap/question.h"

enum { ROOM = 4096 };

static char text[ROOM];
static size_t text_len;

static int take(void *to, const unsigned char *bytes, size_t len)
{
    (void)to;
    assert_true(text_len + len < ROOM);
    memcpy(text + text_len, bytes, len);
    text_len += len;
    text[text_len] = '\0';
    return 0;
}

typedef void description(struct heapanswer *a);

static const char *describe(description *put, bool is_json, bool is_markdown)
{
    struct sink out;
    struct heapanswer a;
    const struct question_asked asked = {
        .out = &out, .is_json = is_json, .is_markdown = is_markdown};
    text_len = 0;
    text[0] = '\0';
    assert_int_equal(sink_init_taker(&out, take, NULL), 0);
    heapanswer_begin(&a, &asked, "test");
    put(&a);
    heapanswer_end(&a);
    assert_int_equal(sink_done(&out), 0);
    return text;
}

/* Columns that people or programs alone see, a cell that is an object, and one that is missing. */
static void put_table(struct heapanswer *a)
{
    static const struct heapanswer_column columns[] = {
        {"id", NULL, HEAPANSWER_ID, 0},
        {"bytes", "size", HEAPANSWER_BYTES, 0},
        {"percent", "share", HEAPANSWER_PERCENT, 0},
        {"largest", "largest", HEAPANSWER_BYTES, 0},
        {"is_held", "held", HEAPANSWER_FLAG, 4},
        {NULL, "name", HEAPANSWER_NAME, 0},
    };
    heapanswer_fact(a, "count", "how many", HEAPANSWER_COUNT, 2);
    heapanswer_table(a, "rows", "what there is", columns, 6);
    heapanswer_number(a, 0x10);
    heapanswer_number(a, 2048);
    heapanswer_percent(a, 12.345);
    heapanswer_cell(a, "1.0 KB");
    heapanswer_fact(a, "bytes", NULL, HEAPANSWER_BYTES, 1024);
    heapanswer_cell_end(a);
    heapanswer_flag(a, true);
    heapanswer_text(a, "a_b");
    heapanswer_note(a, "of %d roots", 3);
    heapanswer_number(a, 0x20);
    heapanswer_number(a, 8);
    heapanswer_nothing(a);
    heapanswer_none(a);
    heapanswer_flag(a, false);
    heapanswer_text(a, "c");
    heapanswer_table_end(a, "nothing");
}

static void a_table_has_the_columns_of_its_form(void **state)
{
    (void)state;
    assert_string_equal(describe(put_table, true, false),
                        "{\n\"question\":\"test\",\n\"schema\":1,\n\"count\":2,\n\"rows\":[\n"
                        "{\"id\":\"0x10\",\"bytes\":2048,\"percent\":12.35,\"largest\":{\"bytes\":"
                        "1024},\"is_held\":true},\n"
                        "{\"id\":\"0x20\",\"bytes\":8,\"percent\":null,\"is_held\":false}]\n}\n");
    assert_string_equal(describe(put_table, false, false),
                        "how many: 2\n"
                        "\n"
                        "what there is\n"
                        "      size    share     largest  held  name\n"
                        "    2.0 KB   12.35%      1.0 KB   yes  a_b\n"
                        "                                       of 3 roots\n"
                        "       8 B        -                no  c\n");
    assert_string_equal(describe(put_table, false, true),
                        "- how many: 2\n"
                        "\n"
                        "### what there is\n"
                        "\n"
                        "| size | share | largest | held | name |\n"
                        "| ---: | ---: | ---: | ---: | --- |\n"
                        "| 2.0 KB | 12.35% | 1.0 KB | yes | a\\_b |\n"
                        "| | | | | of 3 roots |\n"
                        "| 8 B | - |  | no | c |\n"
                        "\n");
}

/* Rows that are values, parts of a table, and objects in a list. */
static void put_values(struct heapanswer *a)
{
    static const struct heapanswer_column columns[] = {
        {NULL, "", HEAPANSWER_COUNT, 3},
        {"", "element", HEAPANSWER_NAME, 0},
    };
    heapanswer_object(a, "layout");
    heapanswer_fact_bool(a, "is_known", true);
    heapanswer_object_end(a);
    heapanswer_table(a, "rows", NULL, columns, 2);
    heapanswer_table_part(a, "first %s", "part");
    heapanswer_number(a, 0);
    heapanswer_literal(a, "null", "null");
    heapanswer_table_part(a, "second part");
    heapanswer_number(a, 1);
    heapanswer_text(a, "x");
    heapanswer_table_end(a, NULL);
    heapanswer_list(a, "others");
    heapanswer_object(a, NULL);
    heapanswer_fact(a, "n", NULL, HEAPANSWER_COUNT, 1);
    heapanswer_object_end(a);
    heapanswer_list_end(a);
    heapanswer_command(a, "hprof heap a`b.hprof", "why");
}

static void rows_may_be_values(void **state)
{
    (void)state;
    assert_string_equal(
        describe(put_values, true, false),
        "{\n\"question\":\"test\",\n\"schema\":1,\n\"layout\":{\n\"is_known\":true},"
        "\n\"rows\":[\nnull,\n\"x\"],\n\"others\":[\n{\n\"n\":1}]\n}\n");
    assert_string_equal(describe(put_values, false, false), "first part\n"
                                                            "     element\n"
                                                            "  0  null\n"
                                                            "\n"
                                                            "second part\n"
                                                            "     element\n"
                                                            "  1  x\n"
                                                            "  hprof heap a`b.hprof   why\n");
    assert_non_null(strstr(describe(put_values, false, true), "- `hprof heap a?b.hprof`: why\n"));
}

/* Names are those of a file of others. */
static void put_names(struct heapanswer *a)
{
    heapanswer_fact_text(a, "name", "name", "a<b>\"\n|*c*");
}

static void names_cannot_break_out_of_their_form(void **state)
{
    (void)state;
    assert_string_equal(describe(put_names, true, false),
                        "{\n\"question\":\"test\",\n\"schema\":1,\n"
                        "\"name\":\"a\\u003cb>\\\"?|*c*\"\n}\n");
    assert_string_equal(describe(put_names, false, false), "name: a<b>\" |*c*\n");
    assert_string_equal(describe(put_names, false, true), "- name: a&lt;b>\" \\|\\*c\\*\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_has_the_columns_of_its_form),
        cmocka_unit_test(rows_may_be_values),
        cmocka_unit_test(names_cannot_break_out_of_their_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
