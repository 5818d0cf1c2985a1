/*
 * options_jfc.c - the settings in .jfc files.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "options/jfc.h"
#include <stdio.h>
#include <string.h>
#include "base/err.h"

/* All settings as "event#name=value ", then what is wrong. */
static const char *read_all(const char *text)
{
    static char all[1024];
    struct jfc_setting one;
    struct jfc j;
    size_t n = 0;
    int more;
    all[0] = '\0';
    jfc_open(&j, text, strlen(text));
    while ((more = jfc_next(&j, &one)) > 0)
        n +=
            (size_t)snprintf(all + n, sizeof(all) - n, "%s#%s=%s ", one.event, one.name, one.value);
    if (more < 0)
        snprintf(all + n, sizeof(all) - n, "%u: %s", j.xml.line, j.xml.why);
    assert_int_equal(jfc_next(&j, &one), more);
    return all;
}

static void settings_of_events_are_found_and_all_else_is_passed_over(void **state)
{
    (void)state;
    assert_string_equal(
        read_all(
            "\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- <event> -->\n<!DOCTYPE x>"
            "<configuration version='2.0' label=\"a > b\">\n"
            "<event name=\"jdk.A\"><setting name=\"enabled\" control='c'> true\n</setting>"
            "<setting name=\"x\"/><setting name = \"t\">20 ms</setting ></event>\n"
            "<event name='none'/><setting name='outside'>1</setting>"
            "<control><selection name=\"s\"><option>off</option></selection></control>"
            "<event name='b&lt;&#65;&#x42;&#x20ac;'><setting name='y'>&amp;</setting></event>"
            "<EVENT name='C'><Setting name='z'>1<!-- <2> --><![CDATA[<&3>]]>4</Setting></EVENT>"
            "<![CDATA[<event name='no'>]]></configuration>"),
        "jdk.A#enabled=true jdk.A#t=20 ms b<AB\xe2\x82\xac#y=& C#z=1<&3>4 ");
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
    (void)state;
    assert_string_equal(read_all(""), "1: there is no <configuration>");
    assert_string_equal(read_all("enabled=true"), "1: there is no <configuration>");
    assert_string_equal(read_all("\n<html>"), "2: the first element is not <configuration>");
    assert_string_equal(read_all("<configuration>\n\n<event name=>"),
                        "3: a value without quotation marks");
    assert_string_equal(read_all("<configuration><event name='a'>\n<setting name='b'>1"),
                        "2: a text that does not end");
    assert_string_equal(read_all("<configuration>\n<event name='&nbsp;'>"),
                        "2: a reference that XML does not have by itself");
    assert_string_equal(read_all("<configuration><!-- "), "1: something begins that does not end");
}

static void long_names_are_cut(void **state)
{
    char text[2 * JFC_TEXT] = "<configuration><event name='";
    struct jfc_setting one;
    struct jfc j;
    (void)state;
    memset(text + strlen(text), 'x', JFC_TEXT);
    strcat(text, "'><setting name='a'>b</setting>");
    jfc_open(&j, text, strlen(text));
    assert_int_equal(jfc_next(&j, &one), 1);
    assert_int_equal(strlen(one.event), JFC_TEXT - 1);
    assert_string_equal(one.value, "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_of_events_are_found_and_all_else_is_passed_over),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(long_names_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
