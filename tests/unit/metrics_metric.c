/*
 * A reading of metrics, written as OpenMetrics text and as JSON: names, labels that need quoting,
 * and values that are not there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "metrics/metric.h"
#include "cmocka_all.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/sink.h"
#include "metrics/metric_json.h"
#include "metrics/metric_text.h"
#include "metrics/metric_vm_threads.h"
#include "testfile.h"

static struct metric_set set;

static char *written(void (*write)(struct sink *out, const struct metric_set *s))
{
    struct sink out;
    size_t len;
    int fd = testfile_temp();
    assert_int_equal(sink_init(&out, fd), 0);
    write(&out, &set);
    assert_int_equal(sink_done(&out), 0);
    char *text = testfile_contents(fd, &len);
    close(fd);
    return text;
}

static void begin(pid_t pid, const char *main, const char *container)
{
    struct metric_jvm jvm = {.pid = pid};
    snprintf(jvm.main, sizeof(jvm.main), "%s", main);
    snprintf(jvm.container, sizeof(jvm.container), "%s", container);
    metric_set_jvm(&set, &jvm);
}

static void text_has_each_family_once(void **state)
{
    (void)state;
    metric_set_init(&set);
    begin(7, "com.acme.Main", "0123456789ab");
    metric_set_value(&set, METRIC_CLASS_LOADED, 450);
    metric_set_add(&set, (struct metric_sample){.id = METRIC_GC_DURATION,
                                                .value = 0.25,
                                                .count = 3,
                                                .labels = {{"jvm.gc.name", "Copy"}}});
    begin(8, "", "");
    metric_set_value(&set, METRIC_CLASS_LOADED, 460);
    metric_set_labelled(&set, METRIC_JVMS, 2, "hprof.jvms.state", "read");
    char *text = written(metric_text_write);
    assert_string_equal(
        text,
        "# HELP jvm_gc_duration_seconds Duration of JVM garbage collection actions.\n"
        "# TYPE jvm_gc_duration_seconds histogram\n"
        "# UNIT jvm_gc_duration_seconds seconds\n"
        "jvm_gc_duration_seconds_bucket{process_pid=\"7\",jvm_main_class=\"com.acme.Main\","
        "container_id=\"0123456789ab\",jvm_gc_name=\"Copy\",le=\"+Inf\"} 3\n"
        "jvm_gc_duration_seconds_count{process_pid=\"7\",jvm_main_class=\"com.acme.Main\","
        "container_id=\"0123456789ab\",jvm_gc_name=\"Copy\"} 3\n"
        "jvm_gc_duration_seconds_sum{process_pid=\"7\",jvm_main_class=\"com.acme.Main\","
        "container_id=\"0123456789ab\",jvm_gc_name=\"Copy\"} 0.25\n"
        "# HELP jvm_class_loaded Number of classes loaded since JVM start.\n"
        "# TYPE jvm_class_loaded counter\n"
        "jvm_class_loaded_total{process_pid=\"7\",jvm_main_class=\"com.acme.Main\","
        "container_id=\"0123456789ab\"} 450\n"
        "jvm_class_loaded_total{process_pid=\"8\"} 460\n"
        "# HELP hprof_jvms JVMs of this machine that were read, and processes called java that may "
        "not be looked at (hidden).\n"
        "# TYPE hprof_jvms gauge\n"
        "hprof_jvms{hprof_jvms_state=\"read\"} 2\n"
        "# EOF\n");
    free(text);
    metric_set_done(&set);
}

static void labels_are_quoted(void **state)
{
    (void)state;
    metric_set_init(&set);
    begin(7, "a\"b\\c", "");
    metric_set_labelled(&set, METRIC_JVM, 1, "process.runtime.version",
                        metric_set_text(&set, "1\n2\033[31m"));
    char *text = written(metric_text_write);
    assert_non_null(strstr(text, "jvm_main_class=\"a\\\"b\\\\c\""));
    assert_non_null(strstr(text, "process_runtime_version=\"1?2?[31m\"} 1\n"));
    free(text);
    text = written(metric_json_write);
    assert_non_null(strstr(text, "\"main\":\"a\\\"b\\\\c\""));
    free(text);
    metric_set_done(&set);
}

static void what_is_not_known_is_left_out(void **state)
{
    (void)state;
    metric_set_init(&set);
    metric_set_value(&set, METRIC_UPTIME, 1); /* of no JVM */
    begin(7, "x", "");
    metric_set_value(&set, METRIC_UPTIME, NAN);
    metric_set_value(&set, METRIC_HEAP_USED, 0);
    begin(8, "ended", "");
    metric_set_value(&set, METRIC_HEAP_USED, 5);
    metric_set_drop(&set);
    char *text = written(metric_json_write);
    assert_string_equal(text,
                        "{\"jvms\":[\n{\"pid\":7,\"main\":\"x\",\"container\":null,\"metrics\":{\n"
                        "\"hprof.heap.used\":{\"type\":\"gauge\",\"unit\":\"By\",\"points\":["
                        "{\"value\":0}]}}}],\n\"metrics\":{}}\n");
    free(text);
    metric_set_reset(&set);
    text = written(metric_text_write);
    assert_string_equal(text, "# EOF\n");
    free(text);
    metric_set_done(&set);
}

static void numbers_keep_their_digits(void **state)
{
    (void)state;
    metric_set_init(&set);
    begin(7, "", "");
    metric_set_value(&set, METRIC_HEAP_USED, 4503599627370495.0);
    metric_set_value(&set, METRIC_CPU_TIME, 123456.789012345);
    char *text = written(metric_text_write);
    assert_non_null(strstr(text, "hprof_heap_used_bytes{process_pid=\"7\"} 4503599627370495\n"));
    assert_non_null(
        strstr(text, "jvm_cpu_time_seconds_total{process_pid=\"7\"} 123456.789012345\n"));
    free(text);
    metric_set_done(&set);
}

/* A name is taken apart into words of small letters, as the conventions have it. */
static void names_are_names_of_the_conventions(void **state)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789._";
    (void)state;
    for (int i = 0; i < METRIC_COUNT; i++) {
        const char *name = metric_all[i].name;
        assert_int_equal(strspn(name, letters), strlen(name));
        for (int n = 0; n < i; n++)
            assert_string_not_equal(name, metric_all[n].name);
    }
}

static void threads_of_the_vm_are_hidden(void **state)
{
    (void)state;
    assert_true(metric_vm_threads_is_hidden("C2 CompilerThread0"));
    assert_true(metric_vm_threads_is_hidden("C1 CompilerThread17"));
    assert_true(metric_vm_threads_is_hidden("Service Thread"));
    assert_false(metric_vm_threads_is_hidden("C2 CompilerThread0x"));
    assert_false(metric_vm_threads_is_hidden("Service Thread 2"));
    assert_false(metric_vm_threads_is_hidden("Signal Dispatcher"));
    assert_false(metric_vm_threads_is_hidden(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_has_each_family_once),
        cmocka_unit_test(labels_are_quoted),
        cmocka_unit_test(what_is_not_known_is_left_out),
        cmocka_unit_test(numbers_keep_their_digits),
        cmocka_unit_test(names_are_names_of_the_conventions),
        cmocka_unit_test(threads_of_the_vm_are_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
