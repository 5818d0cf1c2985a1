/* format_hprof_text_monitor.c - what monitor=y writes. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/sink.h"
#include "cmocka_all.h"
#include "format/writer_monitors.h"
#include "hprofout.h"
#include "testfile.h"

static const uint64_t ms = 1000000;

struct output {
    int fd;
    struct sink sink;
    struct profile *profile;
    struct writer_out out;
    double cutoff;
    string_id object, list, parked;
    struct event rows[3];
};

static void open_output(struct output *w, double cutoff)
{
    const struct hprof_out_config config = {0};
    w->cutoff = cutoff;
    w->fd = testfile_temp();
    assert_int_equal(sink_init(&w->sink, w->fd), 0);
    w->profile = profile_new(16 << 20);
    assert_non_null(w->profile);
    hprofout_open(&w->out, &hprof_text_out, &w->sink, w->profile, &config);
    w->object = profile_cstring(w->profile, "Ljava/lang/Object;");
    w->list = profile_cstring(w->profile, "java.util.List (Java)");
    w->parked = profile_cstring(w->profile, "java.util.List (Park)");
}

/* The text, the date of a table cut off. */
static char *close_output(struct output *w)
{
    size_t len;
    char *text, *date;
    assert_int_equal(sink_done(&w->sink), 0);
    writer_end(&w->out);
    text = testfile_contents(w->fd, &len);
    date = strstr(text, " ms) ");
    if (date)
        memmove(date + 4, strchr(date, '\n'), strlen(strchr(date, '\n')) + 1);
    profile_free(w->profile);
    close(w->fd);
    return text;
}

static void assert_written(struct output *w, const char *expected)
{
    char *text = close_output(w);
    assert_string_equal(text, expected);
    free(text);
}

/* The traces stand in the file before what is looked at. */
static void assert_table(struct output *w, const char *expected)
{
    char *text = close_output(w), *table = strstr(text, "EXACT ");
    assert_string_equal(table ? table : text, expected);
    free(text);
}

static struct event entered(trace_id trace, string_id name, uint64_t hits, uint64_t ns)
{
    return (struct event){.kind = KIND_ENTER, .trace = trace, .text = name, .value = {ns, hits}};
}

/* Of `count` rows of w, and of more that have no trace. */
static void put_table(struct output *w, uint32_t count, uint64_t more_ns)
{
    struct writer_table t = {
        .kind = KIND_ENTER, .rows = w->rows, .count = count, .total = more_ns, .cutoff = w->cutoff};
    for (uint32_t i = 0; i < count; i++)
        t.total += w->rows[i].value[0];
    writer_table(&w->out, &t);
}

static trace_id new_trace(struct output *w, int32_t line)
{
    class_id klass = profile_class_named(w->profile, w->list);
    method_id method = profile_method(w->profile, klass, w->list, 0, 0);
    frame_id frame = profile_frame(w->profile, method, line, line);
    return profile_trace(w->profile, 0, &frame, 1);
}

static void waits_name_the_class_as_the_vm_does(void **state)
{
    struct output w;
    open_output(&w, 0);
    const struct writer_wait waits[] = {{w.object, false, 50, 200001},
                                        {w.object, false, 0, 0},
                                        {w.object, true, 51, 200001},
                                        {w.object, true, 3000000000, 0}};
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
        writer_wait(&w.out, &waits[i]);
    assert_written(&w, "WAIT: MONITOR Ljava/lang/Object;, timeout=50, thread 200001\n"
                       "WAIT: MONITOR Ljava/lang/Object;, timeout=0, <unknown thread>\n"
                       "WAITED: MONITOR Ljava/lang/Object;, time_waited=51, thread 200001\n"
                       "WAITED: MONITOR Ljava/lang/Object;, time_waited=3000000000, "
                       "<unknown thread>\n");
}

static void a_dump_lists_threads_and_then_monitors(void **state)
{
    struct output w;
    uint32_t entering[] = {200003, 200004}, waiting[] = {200005};
    open_output(&w, 0);
    const struct writer_monitors_thread threads[] = {{200001, 0, "ZO"},
                                                     {200002, new_trace(&w, 7), "S|intr|native|R"}};
    const struct writer_monitors_monitor monitors[] = {
        {w.object, 200002, 3, entering, waiting, 2, 1, false, false},
        {w.object, 0, 0, NULL, waiting, 0, 1, false, false}};
    const struct writer_monitors dump = {threads, monitors, 2, 2};
    writer_monitors(&w.out, &dump);
    assert_written(&w,
                   "TRACE 300000:\n"
                   "\t<empty>\n"
                   "TRACE 300001:\n"
                   "\tjava.util.List (Java).java.util.List (Java)(<Unknown Source>:Unknown line)\n"
                   "MONITOR DUMP BEGIN\n"
                   "    THREAD 200001, trace 300000, status: ZO\n"
                   "    THREAD 200002, trace 300001, status: S|intr|native|R\n"
                   "    MONITOR Ljava/lang/Object;\n"
                   "\towner: thread 200002, entry count: 3\n"
                   "\twaiting to enter: thread 200003, thread 200004\n"
                   "\twaiting to be notified: thread 200005\n"
                   "    MONITOR Ljava/lang/Object; unowned\n"
                   "\twaiting to enter:\n"
                   "\twaiting to be notified: thread 200005\n"
                   "MONITOR DUMP END\n");
}

static void times_are_sorted_by_time_and_then_hits(void **state)
{
    struct output w;
    open_output(&w, 0);
    w.rows[0] = entered(new_trace(&w, 1), w.list, 1, 250 * ms);
    w.rows[1] = entered(new_trace(&w, 2), w.parked, 7, 500 * ms);
    w.rows[2] = entered(new_trace(&w, 3), w.list, 9, 250 * ms);
    put_table(&w, 3, 0);
    assert_table(&w, "EXACT MONITOR TIME (ns) BEGIN (total = 1000000000)\n"
                     "   1 500000000\n"
                     "   2 250000000\n"
                     "   3 250000000\n"
                     "EXACT MONITOR TIME (ns) END\n"
                     "MONITOR TIME BEGIN (total = 1000 ms)\n"
                     "rank   self  accum   count trace monitor\n"
                     "   1 50.00% 50.00%       7 300002 java.util.List (Park)\n"
                     "   2 25.00% 75.00%       9 300003 java.util.List (Java)\n"
                     "   3 25.00% 100.00%       1 300001 java.util.List (Java)\n"
                     "MONITOR TIME END\n");
}

static void the_total_counts_what_is_below_the_cutoff_or_has_no_trace(void **state)
{
    struct output w;
    open_output(&w, 0.25);
    w.rows[0] = entered(new_trace(&w, 1), w.list, 1, 300 * ms);
    w.rows[1] = entered(new_trace(&w, 2), w.list, 1, 100 * ms);
    put_table(&w, 2, 600 * ms);
    assert_table(&w, "EXACT MONITOR TIME (ns) BEGIN (total = 1000000000)\n"
                     "   1 300000000\n"
                     "EXACT MONITOR TIME (ns) END\n"
                     "MONITOR TIME BEGIN (total = 1000 ms)\n"
                     "rank   self  accum   count trace monitor\n"
                     "   1 30.00% 30.00%       1 300001 java.util.List (Java)\n"
                     "MONITOR TIME END\n");
}

static void a_table_without_contention_has_no_row(void **state)
{
    struct output w;
    open_output(&w, 0);
    put_table(&w, 0, 0);
    assert_table(&w, "MONITOR TIME BEGIN (total = 0 ms)\nMONITOR TIME END\n");
}

static void less_than_a_millisecond_is_still_a_row(void **state)
{
    struct output w;
    open_output(&w, 0.0001);
    w.rows[0] = entered(new_trace(&w, 1), w.list, 2, 1500);
    put_table(&w, 1, 0);
    assert_table(&w, "EXACT MONITOR TIME (ns) BEGIN (total = 1500)\n"
                     "   1 1500\n"
                     "EXACT MONITOR TIME (ns) END\n"
                     "MONITOR TIME BEGIN (total = 0 ms)\n"
                     "rank   self  accum   count trace monitor\n"
                     "   1 100.00% 100.00%       2 300001 java.util.List (Java)\n"
                     "MONITOR TIME END\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_name_the_class_as_the_vm_does),
        cmocka_unit_test(a_dump_lists_threads_and_then_monitors),
        cmocka_unit_test(times_are_sorted_by_time_and_then_hits),
        cmocka_unit_test(the_total_counts_what_is_below_the_cutoff_or_has_no_trace),
        cmocka_unit_test(a_table_without_contention_has_no_row),
        cmocka_unit_test(less_than_a_millisecond_is_still_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
