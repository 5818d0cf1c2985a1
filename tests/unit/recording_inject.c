/*
 * cli_inject.c - what a JVM reads out of JAVA_TOOL_OPTIONS is what was put in.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "recording/inject.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words that HotSpot makes of the variable (arguments.cpp, parse_options_buffer), one a line.
 */
static void words_of(const char *text, char *out, size_t size)
{
    size_t n = 0;
    while (*text != 0) {
        while (isspace((unsigned char)*text))
            text++;
        if (*text == 0)
            break;
        while (*text != 0 && !isspace((unsigned char)*text)) {
            char quote = *text == '"' || *text == '\'' ? *text++ : 0;
            if (quote == 0) {
                out[n++] = *text++;
                continue;
            }
            while (*text != quote) {
                assert_int_not_equal(*text, 0); /* the JVM refuses a quote that is not closed */
                out[n++] = *text++;
            }
            text++;
        }
        out[n++] = '\n';
        assert_in_range(n, 1, size - 1);
    }
    out[n] = 0;
}

static void assert_arrives(const char *old, const char *library, const char *options,
                           const char *expected)
{
    struct inject in = {.command = "run", .text = strdup(options)};
    char words[4096], *value;
    assert_int_equal(inject_tool_options(&in, old, library, &value), 0);
    words_of(value, words, sizeof(words));
    assert_string_equal(words, expected);
    inject_done(&in);
    free(value);
}

static void the_agent_comes_behind_what_was_there(void **state)
{
    (void)state;
    assert_arrives(NULL, "/lib/libhprof.so", "cpu=samples",
                   "-agentpath:/lib/libhprof.so=cpu=samples\n");
    assert_arrives("", "/l.so", "a=b", "-agentpath:/l.so=a=b\n");
    assert_arrives("-Xmx1g -Dx='a b'", "/l.so", "a=b", "-Xmx1g\n-Dx=a b\n-agentpath:/l.so=a=b\n");
}

static void blanks_and_quotes_in_names_arrive(void **state)
{
    (void)state;
    assert_arrives(NULL, "/my lib/l.so", "file=/a b/c\td.txt",
                   "-agentpath:/my lib/l.so=file=/a b/c\td.txt\n");
    assert_arrives(NULL, "/l.so", "file=/it's", "-agentpath:/l.so=file=/it's\n");
    assert_arrives(NULL, "/l.so", "file=/\"x\" 'y' z", "-agentpath:/l.so=file=/\"x\" 'y' z\n");
}

static void options_are_joined_with_commas(void **state)
{
    struct inject all = {.command = "run"}, more = {.command = "run"};
    (void)state;
    inject_add(&all, "depth", "8", "--depth");
    inject_add_raw(&more, "cpu=samples", "-O");
    inject_add_all(&all, &more);
    assert_false(all.failed);
    assert_string_equal(all.text, "depth=8,cpu=samples");
    inject_done(&all);
    inject_done(&more);
}

static void what_the_agent_could_not_read_is_refused(void **state)
{
    static const char *const bad[] = {"depth", "=8", "depth=", "file=a,b", "file=a\nb"};
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct inject all = {.command = "run"};
        inject_add_raw(&all, "cpu=samples", "");
        inject_add_raw(&all, bad[i], "-O");
        assert_true(all.failed);
        inject_add_raw(&all, "depth=8", "");
        assert_string_equal(all.text, "cpu=samples"); /* the failure stays */
        inject_done(&all);
    }
    char *value = NULL;
    assert_true(inject_tool_options(&(struct inject){.command = "run"}, NULL, "/a=b/l.so", &value) <
                0);
    assert_null(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_agent_comes_behind_what_was_there),
        cmocka_unit_test(blanks_and_quotes_in_names_arrive),
        cmocka_unit_test(options_are_joined_with_commas),
        cmocka_unit_test(what_the_agent_could_not_read_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
