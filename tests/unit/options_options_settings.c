/*
 * options_options_settings.c - settings of JFR events in the option string.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "options/options_group.h"
#include "options/options_settings.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "options/options_allocsample.h"
#include "options/options_cpu.h"
#include "options/options_custom.h"
#include "options/options_exception.h"
#include "options/options_lock.h"
#include "options/options_parse.h"
#include "testfile.h"

extern const struct options_group options_load;

extern const struct options_group options_gc;

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

static void events_of_the_application_have_settings_by_name(void **state)
{
    (void)state;
    assert_string_equal(
        parse("cpu=samples,format=jfr,com.acme.Query#threshold=50 ms,Login#enabled=false"), "");
    assert_int_equal(options_custom_least_ns(&o, "com.acme.Query", 7), 50000000);
    assert_int_equal(options_custom_least_ns(&o, "Login", 7), -1);
    assert_int_equal(options_custom_least_ns(&o, "com.acme.Other", 7), 7);
    assert_non_null(
        strstr(parse("cpu=samples,format=jfr,com.acme.Query#threshold=soon"), "cannot be 'soon'"));
    assert_non_null(
        strstr(parse("cpu=samples,format=jfr,com.acme.Query#period=1 s"), "no setting"));
    /* Those of the JDK are known: this one is a mistake. */
    assert_non_null(
        strstr(parse("cpu=samples,format=jfr,jdk.ThreadParc#enabled=true"), "no setting"));
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
    assert_int_equal(options_lock_of(&o)->threshold_ns[OPTIONS_LOCK_PARK], 20000000);
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
    assert_int_equal(options_lock_of(&o)->threshold_ns[OPTIONS_LOCK_ENTER], 3000000);
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
    assert_string_equal(why.note, "");
    assert_string_equal(load("x"), "line 1: there is no <configuration>");
}

/* What a file with these settings of one event, which it turns on, makes of it. */
static const char *load_event(const char *event, const char *name, const char *value)
{
    char text[512];
    snprintf(text, sizeof(text),
             "<configuration>\n<event name='jdk.GarbageCollection'><setting "
             "name='enabled'>true</setting></event><event name='%s'>\n<setting name='enabled'>true"
             "</setting><setting name='%s'>%s</setting></event></configuration>",
             event, name, value);
    assert_string_equal(load(text), "");
    return value_of(event, name);
}

static bool is_on(const char *event)
{
    return strcmp(value_of(event, "enabled"), "true") == 0;
}

static void values_are_those_that_the_jdk_takes(void **state)
{
    static const char sample[] = "jdk.ExecutionSample", alloc[] = "jdk.ObjectAllocationSample",
                      park[] = "jdk.ThreadPark";
    (void)state;
    assert_string_equal(load_event(alloc, "throttle", "off"), "off");
    assert_true(options_row_is_unbounded(options_allocsample_of(&o)->rate));
    assert_string_equal(load_event(alloc, "throttle", "30 / m"), "30/m");
    assert_string_equal(load_event(alloc, "throttle", "2/ms"), "2000/s");
    assert_string_equal(load_event(alloc, "throttle", "5/d"), "5/d");
    assert_string_equal(load_event(sample, "period", "1 m"), "60000 ms");
    assert_string_equal(load_event(sample, "period", "1 us"), "10 us");
    assert_string_equal(load_event(park, "threshold", "0 ns"), "0 ms");
    assert_string_equal(load_event(sample, "enabled", "TRUE"), "true");
    assert_string_equal(why.note, "");
}

static void a_value_that_lets_an_event_never_come_turns_it_off(void **state)
{
    static const char *const rows[][3] = {
        {"jdk.ExecutionSample", "period", "everyChunk"},
        {"jdk.ExecutionSample", "period", "beginChunk"},
        {"jdk.ExecutionSample", "period", "endChunk"},
        {"jdk.ExecutionSample", "period", "infinity"},
        {"jdk.ExecutionSample", "period", "0 ms"},
        {"jdk.ThreadPark", "threshold", "infinity"},
        {"jdk.ObjectAllocationSample", "throttle", "0/s"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        load_event(rows[i][0], rows[i][1], rows[i][2]);
        assert_false(is_on(rows[i][0]));
        assert_true(is_on("jdk.GarbageCollection"));
        assert_string_equal(why.note, "");
    }
    assert_string_equal(parse("jdk.ExecutionSample#period=everyChunk"),
                        "jdk.ExecutionSample#period cannot be 'everyChunk': to turn the event off, "
                        "say jdk.ExecutionSample#enabled=false");
}

static void a_value_of_a_file_that_is_none_is_passed_over_with_a_note(void **state)
{
    static const char *const rows[][3] = {
        {"jdk.ExecutionSample", "period", "often"},
        {"jdk.ExecutionSample", "period", ""},
        {"jdk.ThreadPark", "threshold", "20 parsecs"},
        {"jdk.ObjectAllocationSample", "throttle", "10ms"},
        {"jdk.ObjectAllocationSample", "throttle", "-1/s"},
        {"jdk.ObjectAllocationSample", "enabled", "maybe"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char said[128];
        load_event(rows[i][0], rows[i][1], rows[i][2]);
        assert_true(is_on(rows[i][0]));
        snprintf(said, sizeof(said), "line 3: %s of %s cannot be '%s', and is passed over",
                 rows[i][1], rows[i][0], rows[i][2]);
        assert_non_null(strstr(why.note, said));
    }
}

static void a_threshold_turns_on_nothing_that_is_turned_off(void **state)
{
    static const char off[] = "jdk.JavaMonitorEnter#enabled=false,jdk.JavaMonitorWait#enabled="
                              "false,jdk.ThreadPark#enabled=false";
    char line[256];
    (void)state;
    snprintf(line, sizeof(line), "settings=default,%s", off);
    assert_string_equal(parse(line), "");
    assert_false(options_group_wanted(&o, &options_lock));
    snprintf(line, sizeof(line), "event=cpu,lock=1ms,%s", off);
    assert_string_equal(parse(line), "");
    assert_false(options_group_wanted(&o, &options_lock));
    snprintf(line, sizeof(line), "event=cpu,%s,lock=1ms", off);
    assert_string_equal(parse(line), "");
    assert_true(options_group_wanted(&o, &options_lock));
    assert_false(options_group_is_off(&o, &options_lock, "jdk.ThreadPark"));
    assert_string_equal(parse("settings=default,jdk.ThreadPark#enabled=false,lock=1ms"), "");
    assert_true(options_group_is_off(&o, &options_lock, "jdk.ThreadPark"));
    assert_int_equal(options_lock_of(&o)->threshold_ns[OPTIONS_LOCK_PARK], 1000000);
}

static void each_event_of_locks_has_its_own_threshold(void **state)
{
    (void)state;
    assert_string_equal(parse("lock=1ms,jdk.ThreadPark#threshold=5 ms"), "");
    assert_string_equal(value_of("jdk.JavaMonitorEnter", "threshold"), "1 ms");
    assert_string_equal(value_of("jdk.JavaMonitorWait", "threshold"), "1 ms");
    assert_string_equal(value_of("jdk.ThreadPark", "threshold"), "5 ms");
    assert_string_equal(parse("jdk.ThreadPark#threshold=5 ms,lock=1ms"), "");
    assert_string_equal(value_of("jdk.ThreadPark", "threshold"), "1 ms");
    assert_string_equal(
        load("<configuration><event name=\"jdk.JavaMonitorEnter\"><setting name=\"enabled\">true"
             "</setting><setting name=\"threshold\">7 ms</setting></event>"
             "<event name=\"jdk.JavaMonitorWait\"><setting name=\"enabled\">true</setting>"
             "<setting name=\"threshold\">9 us</setting></event></configuration>"),
        "");
    assert_string_equal(value_of("jdk.JavaMonitorEnter", "threshold"), "7 ms");
    assert_string_equal(value_of("jdk.JavaMonitorWait", "threshold"), "9 us");
    assert_string_equal(parse("jdk.ThreadPark#threshold=soon"),
                        "jdk.ThreadPark#threshold cannot be 'soon'");
    assert_string_equal(parse("lock=soon"), "lock option value must be a time, such as 10ms");
}

static void samples_are_of_the_newer_event_where_it_is_named(void **state)
{
    (void)state;
    assert_string_equal(parse("event=cpu"), "");
    assert_true(options_settings_is_on(&o, "jdk.ExecutionSample"));
    assert_false(options_settings_is_on(&o, "jdk.CPUTimeSample"));
    assert_string_equal(parse("event=cpu,jdk.CPUTimeSample#enabled=true"), "");
    assert_true(options_settings_is_on(&o, "jdk.ExecutionSample"));
    assert_true(options_settings_is_on(&o, "jdk.CPUTimeSample"));
    assert_string_equal(parse("jdk.CPUTimeSample#throttle=5 ms"), "");
    assert_false(options_settings_is_on(&o, "jdk.ExecutionSample"));
    assert_true(options_settings_is_on(&o, "jdk.CPUTimeSample"));
    assert_int_equal(o.interval_ns, 5000000);
    assert_string_equal(parse("jdk.CPUTimeSample#throttle=500/s"), "");
    assert_int_equal(o.interval_ns, sysconf(_SC_NPROCESSORS_ONLN) * 2000000);
    assert_string_equal(parse("settings=profile"), "");
    assert_false(options_settings_is_on(&o, "jdk.CPUTimeSample"));
    assert_string_equal(parse("event=cpu,jdk.ExecutionSample#enabled=false"),
                        "the settings turn on no event that is measured here");
    assert_string_equal(parse("jdk.CPUTimeSample#throttle=off"),
                        "jdk.CPUTimeSample#throttle cannot be 'off': to turn the event off, say "
                        "jdk.CPUTimeSample#enabled=false");
    assert_string_equal(parse("jdk.ExecutionSample#period=500/s"),
                        "jdk.ExecutionSample#period cannot be '500/s'");
}

static void settings_that_turn_on_nothing_need_something_else(void **state)
{
    static const char none[] = "the settings turn on no event that is measured here";
    (void)state;
    load("<configuration></configuration>");
    assert_string_equal(why.text, none);
    assert_string_equal(parse("jdk.ThreadPark#enabled=false"), none);
    assert_string_equal(parse("jdk.ThreadPark#enabled=false,event=gc"), "");
}

static void a_file_is_a_regular_file(void **state)
{
    char folder[] = "/tmp/hprof-test-XXXXXX", line[64];
    const char *path = line + strlen("settings=");
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(line, sizeof(line), "settings=%s/x.jfc", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_non_null(strstr(parse(line), ": it is no regular file; settings are default, profile"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void what_nobody_knows_is_refused(void **state)
{
    (void)state;
    assert_non_null(strstr(parse("jdk.ExecutionSample#threshold=1 ms"),
                           "jdk.ExecutionSample#threshold is no setting of what is measured here: "
                           "use "));
    assert_non_null(strstr(why.text, " jdk.ExecutionSample#enabled|period|depth"));
    assert_string_equal(parse("jdk.ExecutionSample#period=often"),
                        "jdk.ExecutionSample#period cannot be 'often'");
    assert_string_equal(parse("settings=/nowhere/x.jfc"),
                        "settings=/nowhere/x.jfc: No such file or directory; settings are default, "
                        "profile or a .jfc file");
    assert_string_equal(parse("settings="), "syntax error parsing settings=name");
    assert_string_equal(parse("event=alloc,allocrate=0/s"),
                        "allocrate option value must be a rate, as 150/s, or off");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(events_of_the_application_have_settings_by_name, tear_down),
        cmocka_unit_test_teardown(the_jdks_two_configurations_are_known_by_name, tear_down),
        cmocka_unit_test_teardown(a_setting_of_an_event_turns_it_on_and_the_last_one_counts,
                                  tear_down),
        cmocka_unit_test_teardown(a_file_says_what_is_on_whatever_the_order_of_its_lines,
                                  tear_down),
        cmocka_unit_test_teardown(values_are_those_that_the_jdk_takes, tear_down),
        cmocka_unit_test_teardown(a_value_that_lets_an_event_never_come_turns_it_off, tear_down),
        cmocka_unit_test_teardown(a_value_of_a_file_that_is_none_is_passed_over_with_a_note,
                                  tear_down),
        cmocka_unit_test_teardown(a_threshold_turns_on_nothing_that_is_turned_off, tear_down),
        cmocka_unit_test_teardown(each_event_of_locks_has_its_own_threshold, tear_down),
        cmocka_unit_test_teardown(samples_are_of_the_newer_event_where_it_is_named, tear_down),
        cmocka_unit_test_teardown(settings_that_turn_on_nothing_need_something_else, tear_down),
        cmocka_unit_test_teardown(a_file_is_a_regular_file, tear_down),
        cmocka_unit_test_teardown(what_nobody_knows_is_refused, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
