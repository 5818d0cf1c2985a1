/*
 * options_options_settings.c - settings of JFR events in the option string.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "options/options_settings.h"
#include <string.h>
#include <unistd.h>
#include "options/options_allocsample.h"
#include "options/options_cpu.h"
#include "options/options_exception.h"
#include "options/options_gc.h"
#include "options/options_load.h"
#include "options/options_lock.h"
#include "testfile.h"

static struct options o;
static struct options_error why;

static int tear_down(void **state)
{
    (void)state;
    options_done(&o);
    return 0;
}

static const char *parse(const char *line)
{
    options_done(&o);
    options_parse(line, NULL, &o, &why);
    return why.text;
}

/* The value in force; NULL: there is no such setting. */
static const char *value_of(const char *event, const char *name)
{
    static struct options_settings_one one;

    for (int at = 0; options_settings_next(&o, &at, &one);)
        if (strcmp(one.event, event) == 0 && strcmp(one.name, name) == 0)
            return one.value;
    return NULL;
}

static void the_jdks_two_configurations_are_known_by_name(void **state)
{
    (void)state;
    assert_string_equal(parse("settings=default"), "");
    assert_true(options_group_wanted(&o, &options_cpu));
    assert_true(options_group_wanted(&o, &options_allocsample));
    assert_true(options_group_wanted(&o, &options_gc));
    assert_false(options_group_wanted(&o, &options_exception));
    assert_int_equal(o.interval_ns, 20000000);
    assert_int_equal(options_allocsample_of(&o)->rate, 150);
    assert_int_equal(options_lock_of(&o)->threshold_ns, 20000000);
    assert_true(options_group_wanted(&o, &options_lock) && options_group_wanted(&o, &options_load));
    assert_string_equal(value_of("jdk.ThreadPark", "threshold"), "20 ms");
    assert_string_equal(value_of("jdk.ExecutionSample", "period"), "20 ms");
    assert_string_equal(value_of("jdk.ObjectAllocationSample", "throttle"), "150/s");
    assert_string_equal(value_of("jdk.JavaExceptionThrow", "enabled"), "false");
    assert_string_equal(parse("settings=profile"), "");
    assert_int_equal(o.interval_ns, 10000000);
    assert_int_equal(options_allocsample_of(&o)->rate, 300);
}

static void a_setting_of_an_event_turns_it_on_and_the_last_one_counts(void **state)
{
    (void)state;
    assert_string_equal(parse("jdk.ExecutionSample#period=1500 us"), "");
    assert_true(options_group_wanted(&o, &options_cpu));
    assert_false(options_group_wanted(&o, &options_allocsample));
    assert_int_equal(o.interval_ns, 1500000);
    assert_string_equal(value_of("jdk.ExecutionSample", "period"), "1500 us");
    assert_string_equal(parse("settings=default,jdk.ObjectAllocationSample#enabled=false,"
                              "jdk.JavaExceptionThrow#enabled=true"),
                        "");
    assert_false(options_group_wanted(&o, &options_allocsample));
    assert_true(options_group_wanted(&o, &options_exception));
    assert_string_equal(value_of("jdk.JavaExceptionThrow", "enabled"), "true");
    assert_string_equal(parse("jdk.JavaMonitorEnter#threshold=3 ms,jdk.ThreadPark#enabled=false"),
                        "");
    assert_true(options_group_wanted(&o, &options_lock));
    assert_int_equal(options_lock_of(&o)->threshold_ns, 3000000);
    assert_true(options_group_is_off(&o, &options_lock, "jdk.ThreadPark"));
    assert_string_equal(parse("settings=default,event=exception"), "");
    assert_string_equal(value_of("jdk.JavaExceptionThrow", "enabled"), "true");
}

static const char *load(const char *text)
{
    char line[64];
    int fd = testfile_temp();
    const char *said;

    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    snprintf(line, sizeof(line), "settings=/proc/self/fd/%d", fd);
    said = strstr(parse(line), ": ");
    close(fd);
    return said ? said + 2 : "";
}

static void a_file_says_what_is_on_whatever_the_order_of_its_lines(void **state)
{
    (void)state;
    assert_string_equal(
        load("<configuration><event name=\"jdk.ObjectAllocationSample\">"
             "<setting name=\"throttle\">12/s</setting><setting name=\"enabled\">false</setting>"
             "</event><event name=\"jdk.ExecutionSample\">"
             "<setting name=\"period\">5 ms</setting><setting name=\"enabled\">true</setting>"
             "</event><event name=\"jdk.Unknown\"><setting name=\"enabled\">maybe</setting>"
             "</event></configuration>"),
        "");
    assert_true(options_group_wanted(&o, &options_cpu));
    assert_int_equal(o.interval_ns, 5000000);
    assert_false(options_group_wanted(&o, &options_allocsample));
    assert_string_equal(load("<configuration>\n<event name=\"jdk.ExecutionSample\">\n"
                             "<setting name=\"enabled\">maybe</setting>"),
                        "line 3: enabled of jdk.ExecutionSample cannot be 'maybe'");
    assert_string_equal(load("<configuration></configuration>"),
                        "it turns on no event that is measured here");
    assert_string_equal(load("x"), "line 1: there is no <configuration>");
}

static void what_nobody_knows_is_refused(void **state)
{
    (void)state;
    assert_non_null(strstr(parse("jdk.ExecutionSample#threshold=1 ms"),
                           "jdk.ExecutionSample#threshold is no setting of what is measured here: "
                           "use "));
    assert_non_null(strstr(why.text, " jdk.ExecutionSample#enabled|period|depth"));
    assert_string_equal(parse("jdk.ExecutionSample#period=everyChunk"),
                        "jdk.ExecutionSample#period cannot be 'everyChunk'");
    assert_string_equal(parse("settings=/nowhere/x.jfc"),
                        "settings=/nowhere/x.jfc: No such file or directory; it is default, "
                        "profile or a .jfc file");
    assert_string_equal(parse("settings="), "syntax error parsing settings=name");
    assert_string_equal(parse("event=alloc,allocrate=0/s"),
                        "allocrate option value must be a rate, as 150/s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_jdks_two_configurations_are_known_by_name, tear_down),
        cmocka_unit_test_teardown(a_setting_of_an_event_turns_it_on_and_the_last_one_counts,
                                  tear_down),
        cmocka_unit_test_teardown(a_file_says_what_is_on_whatever_the_order_of_its_lines,
                                  tear_down),
        cmocka_unit_test_teardown(what_nobody_knows_is_refused, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
