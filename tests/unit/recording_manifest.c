/*
 * cli_manifest.c - which files the JVMs wrote, as they list them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "recording/manifest.h"
#include <string.h>

static void parse(const char *text, struct manifest *m)
{
    FILE *in = fmemopen((void *)text, strlen(text), "r");
    *m = (struct manifest){0};
    assert_non_null(in);
    assert_int_equal(manifest_parse(m, in), 0);
    fclose(in);
}

static void each_whole_line_is_an_entry_in_their_order(void **state)
{
    struct manifest m;
    (void)state;
    parse("12\t/a/first.txt\n7\t/b/with\ttab and space.txt\n", &m);
    assert_int_equal(m.count, 2);
    assert_int_equal(m.entries[0].pid, 12);
    assert_string_equal(m.entries[0].path, "/a/first.txt");
    assert_int_equal(m.entries[1].pid, 7);
    assert_string_equal(m.entries[1].path, "/b/with\ttab and space.txt");
    manifest_close(&m);
}

static void half_a_line_of_a_jvm_that_died_is_no_entry(void **state)
{
    struct manifest m;
    (void)state;
    parse("12\t/a/first.txt\n13\t/a/sec", &m);
    assert_int_equal(m.count, 1);
    manifest_close(&m);
    parse("12\n\n12\trelative\n12 /a\n", &m);
    assert_int_equal(m.count, 0);
    manifest_close(&m);
}

static void a_build_tool_that_was_left_alone_is_told_once(void **state)
{
    struct manifest m;
    (void)state;
    parse("7\t=Maven\n8\t=Gradle\n9\t=Gradle\n12\t/a/first.txt\n13\t=a name that is too long\n",
          &m);
    assert_int_equal(m.count, 1);
    assert_int_equal(m.left_count, 2);
    assert_string_equal(m.left[1].tool, "Gradle");
    assert_int_equal(m.left[1].pid, 8);
    manifest_close(&m);
}

static void what_is_begun_is_open_until_it_is_finished(void **state)
{
    struct manifest m;
    (void)state;
    parse("7\t+/a/first.txt\n8\t+/a/second.txt\n9\t+relative\n7\t/a/first.txt\n", &m);
    assert_int_equal(m.count, 1);
    assert_int_equal(m.entries[0].pid, 7);
    assert_int_equal(m.open_count, 1);
    assert_int_equal(m.open[0].pid, 8);
    assert_string_equal(m.open[0].path, "/a/second.txt");
    manifest_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_whole_line_is_an_entry_in_their_order),
        cmocka_unit_test(a_build_tool_that_was_left_alone_is_told_once),
        cmocka_unit_test(what_is_begun_is_open_until_it_is_finished),
        cmocka_unit_test(half_a_line_of_a_jvm_that_died_is_no_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
