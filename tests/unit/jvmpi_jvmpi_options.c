/*
 * jvmpi_jvmpi_options.c - options of the bridge, and where those of the agent begin.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "jvmpi/jvmpi_options.h"
#include <stdio.h>
#include <string.h>

/* What comes out of `text`: "agent|its options|classname|cputime", or what is wrong. */
static void assert_read(const char *text, const char *expected)
{
    struct jvmpi_options o = {0};
    char copy[256], got[512], error[JVMPI_OPTIONS_ERROR] = "", *agent, *options;
    snprintf(copy, sizeof(copy), "%s", text);
    if (jvmpi_options_read(copy, &o, &agent, &options, error) != 0)
        snprintf(got, sizeof(got), "%s", error);
    else
        snprintf(got, sizeof(got), "%s|%s|%d|%d", agent ? agent : "none",
                 options ? options : "none", o.names_have_slashes, o.times_are_wall);
    assert_string_equal(got, expected);
}

static void test_the_short_form_is_an_agent_and_its_options(void **state)
{
    assert_read("foo", "foo||0|0");
    assert_read("foo:", "foo||0|0");
    assert_read("foo:a=b,c:d", "foo|a=b,c:d|0|0");
    assert_read("/opt/a b/libfoo.so:x", "/opt/a b/libfoo.so|x|0|0");
}

static void test_options_of_the_bridge_stand_before_the_agent(void **state)
{
    assert_read("classname=slash,agent=foo:a=b,c", "foo|a=b,c|1|0");
    assert_read("cputime=wall,classname=dot,agent=foo", "foo||0|1");
    assert_read("cputime=wall,foo:x", "foo|x|0|1");
    assert_read("cputime=wall", "none|none|0|1");
    assert_read("", "none|none|0|0");
}

static void test_patterns_have_colons_between(void **state)
{
    struct jvmpi_options o = {0};
    char text[] = "include=org.acme.*:java.util.HashMap.put,natives=y,exclude=*.Gen*,agent=foo:a,b";
    char error[JVMPI_OPTIONS_ERROR], *agent, *options;
    assert_int_equal(jvmpi_options_read(text, &o, &agent, &options, error), 0);
    assert_string_equal(o.filter.include, "org.acme.*:java.util.HashMap.put");
    assert_string_equal(o.filter.exclude, "*.Gen*");
    assert_true(o.has_natives);
    assert_string_equal(agent, "foo");
    assert_string_equal(options, "a,b");
}

static void test_what_is_wrong_is_named(void **state)
{
    assert_read("agent=", "the name of an agent is missing");
    assert_read(":x", "the name of an agent is missing");
    assert_read("cputime=", "cputime= is cpu or wall, not \"\"");
    assert_read("classname=/,agent=foo", "classname= is dot or slash, not \"/\"");
    assert_read("cputime,agent=foo", "\"cputime\" has no value");
    assert_read("natives=yes", "natives= is n or y, not \"yes\"");
    assert_read("=x",
                "there is no option \"\": classname=, cputime=, natives=, include=, exclude=, "
                "and agent= as the last");
}

static void test_no_text_is_no_option(void **state)
{
    struct jvmpi_options o = {0};
    char error[JVMPI_OPTIONS_ERROR], *agent, *options;
    assert_int_equal(jvmpi_options_read(NULL, &o, &agent, &options, error), 0);
    assert_null(agent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_short_form_is_an_agent_and_its_options),
        cmocka_unit_test(test_options_of_the_bridge_stand_before_the_agent),
        cmocka_unit_test(test_patterns_have_colons_between),
        cmocka_unit_test(test_what_is_wrong_is_named),
        cmocka_unit_test(test_no_text_is_no_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
