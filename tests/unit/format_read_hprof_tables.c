/*
 * format_read_hprof_tables.c - the text reader: CPU TIME, cpu=old, MONITOR TIME, MONITOR DUMP,
 * HISTOGRAM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"
#include "format/format.h"
#include "format/hprof_file.h"
#include "profile/sums.h"
#include "testfile.h"
#include "samples.h"

enum { NS_PER_MS = 1000000 };

#define HEAD "JAVA PROFILE 1.0.1, created x\n\n--------\n"

static struct profile *read_text(const char *text, struct reader_error *error)
{
    struct profile *p = profile_new(1 << 20);
    *error = (struct reader_error){0};
    format_read(format_named("hprof-text"), text, strlen(text), p, error);
    return p;
}

static const char *top_frame(struct profile *p, trace_id id)
{
    const struct profile_trace *t = profile_trace_at(p, id);
    const struct profile_method *m =
        profile_method_at(p, profile_frame_at(p, t->frames[0])->method);
    return profile_string_at(p, m->name)->bytes;
}

/* What awk says of the recordings of the original agent: rows, and the sum of their counts. */
static void every_row_of_the_original_is_there(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        enum kind_id kind;
        uint32_t rows;
        uint64_t count, total_ms;
    } files[] = {
        {"times/java.hprof.txt", KIND_CALL, 8, 20, 317},
        {"times_all/java.hprof.txt", KIND_CALL, 43, 1022, 315},
        {"times_depth0/java.hprof.txt", KIND_CALL, 1, 14967, 35},
        {"old/java.hprof.txt", KIND_OLD_CALL, 1518, 15256, 0},
        {"old_depth5/java.hprof.txt", KIND_OLD_CALL, 1496, 14966, 0},
        {"quit_old/java.hprof.txt.gz", KIND_OLD_CALL, 1547, 54880, 0},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        char name[256];
        size_t len;
        struct reader_error error;
        snprintf(name, sizeof(name), "hprof-golden/%s", files[i].file);
        char *text = testfile_read(name, &len);
        struct profile *p = profile_new(64 << 20);
        if (format_read(format_named("hprof-text"), text, len, p, &error) != 0)
            fail_msg("%s: line %d: %s", name, (int)error.line, error.detail);
        const struct sums *sums = profile_sums(p, files[i].kind);
        if (!sums->is_measured || sums->rows.count != files[i].rows ||
            sums->total[1] != files[i].count || sums->said != files[i].total_ms * NS_PER_MS)
            fail_msg("%s: %d rows, %d calls, %d ms", name, (int)sums->rows.count,
                     (int)sums->total[1], (int)(sums->said / NS_PER_MS));
        free(text);
        profile_free(p);
    }
}

static void counts_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t line;
    } files[] = {
        {HEAD "CPU SAMPLES BEGIN (total = 18446744073709551616) x\n", 4},
        {HEAD
         "CPU SAMPLES BEGIN (total = 9) x\n   1 1.00% 1.00% 18446744073709551616 300000 a.B.c\n",
         5},
        {HEAD
         "CPU SAMPLES BEGIN (total = 9) x\n   1 1.00% 1.00% 18446744073709551615 300000 a.B.c\n"
         "   2 1.00% 1.00% 1 300000 a.B.c\n",
         6},
        {HEAD "CPU TIME (ms) BEGIN (total = 2000) x\n   1 1.00% 1.00% 18446744073709551615 300000 "
              "a.B.c\n"
              "   2 1.00% 1.00% 1 300000 a.B.c\n",
         6},
        {HEAD "THREAD START (obj=1, id = 4294967296, name=\"a\", group=\"b\")\n", 4},
        {HEAD "SITES BEGIN (ordered by live bytes) x\n"
              "    1 1.00% 1.00% 1 1 18446744073709551616 1 300000 char[]\n",
         5},
        {"count callee caller time\n18446744073709551615 a.B.c()V a.B.d()V 0\n1 a.B.c()V a.B.d()V "
         "0\n",
         3},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        struct reader_error error;
        struct profile *p = read_text(files[i].text, &error);
        if (error.code != E_FORMAT || error.line != files[i].line)
            fail_msg("file %zu: code %d, line %d", i, error.code, (int)error.line);
        profile_free(p);
    }
}

static void the_time_of_a_row_is_its_share_of_the_total(void **state)
{
    (void)state;
    struct reader_error error;
    struct profile *p = read_text(HEAD "CPU TIME (ms) BEGIN (total = 2000) x\n"
                                       "rank   self  accum   count trace method\n"
                                       "   1 75.50% 75.50%      20 300001 a.B.c\n"
                                       "   2  4,05% 79.55%       1 300000 <empty trace>\n"
                                       "   3   nan%   nan%       7 300003 a.B.d\n"
                                       "   4 900.00% 1.00%       1 300004 a.B.e\n"
                                       "CPU TIME (ms) END\n",
                                  &error);
    const struct sums *sums = profile_sums(p, KIND_CALL);
    static const uint64_t ms[] = {1510, 81, 0, 2000};
    assert_int_equal(error.code, 0);
    assert_int_equal(sums->rows.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(sums_at(sums, i + 1)->value[0], ms[i] * NS_PER_MS);
    assert_string_equal(top_frame(p, sums_at(sums, 3)->trace), "d");
    profile_free(p);
}

static void callee_and_caller_of_the_old_format_are_a_stack(void **state)
{
    (void)state;
    struct reader_error error;
    struct profile *p = read_text("count callee caller time\n"
                                  "3 a.B.c(I[Ljava/lang/String;)V a.B.with blank()[J 12\n"
                                  "2 a.B.c(I[Ljava/lang/String;)V <unknown caller> 1\n"
                                  "1 <unknown callee> <unknown caller> 0\n",
                                  &error);
    const struct sums *sums = profile_sums(p, KIND_OLD_CALL);
    assert_int_equal(error.code, 0);
    assert_int_equal(sums->rows.count, 3);
    const struct sum *row = sums_at(sums, 1);
    const struct profile_trace *t = profile_trace_at(p, row->trace);
    assert_int_equal(row->value[0], 12 * NS_PER_MS);
    assert_int_equal(t->depth, 2);
    const struct profile_method *m =
        profile_method_at(p, profile_frame_at(p, t->frames[1])->method);
    assert_string_equal(profile_string_at(p, m->name)->bytes, "with blank");
    assert_string_equal(profile_string_at(p, m->descriptor)->bytes, "()[J");
    row = sums_at(sums, 2);
    assert_int_equal(profile_trace_at(p, row->trace)->depth, 1);
    row = sums_at(sums, 3);
    assert_int_equal(profile_trace_at(p, row->trace)->depth, 0);
    profile_free(p);
}

static void the_last_dump_of_monitors_counts(void **state)
{
    (void)state;
    struct reader_error error;
    struct profile *p = read_text(HEAD "MONITOR DUMP BEGIN\n"
                                       "    THREAD 200001, trace 300000, status: R\n"
                                       "    MONITOR Lgone; unowned\n"
                                       "\twaiting to be notified: thread 200001\n"
                                       "MONITOR DUMP END\n"
                                       "MONITOR DUMP BEGIN\n"
                                       "    THREAD 200002, trace 300000, status: S|intr|MW\n"
                                       "    MONITOR Lwith unowned;\n"
                                       "\towner: thread 200001, entry count: 7\n"
                                       "\twaiting to enter: thread 200002, thread 200003\n"
                                       "\twaiting to be notified:\n"
                                       "    MONITOR Lnobody; unowned\n"
                                       "MONITOR DUMP END\n",
                                  &error);
    const struct hprof_file *f = hprof_file_of(p);
    assert_int_equal(error.code, 0);
    assert_int_equal(f->monitor_dumps, 2);
    assert_int_equal(f->threads.count, 1);
    assert_int_equal(f->monitors.count, 2);
    assert_int_equal(f->waits.count, 2);
    const struct hprof_file_thread *t = table_at(&f->threads, 1);
    assert_int_equal(profile_thread_at(p, t->thread)->serial, 200002);
    assert_string_equal(profile_string_at(p, t->status)->bytes, "S|intr|MW");
    const struct hprof_file_monitor *m = table_at(&f->monitors, 1);
    assert_string_equal(profile_string_at(p, m->signature)->bytes, "Lwith unowned;");
    assert_int_equal(profile_thread_at(p, m->owner)->serial, 200001);
    assert_int_equal(m->entry_count, 7);
    const struct hprof_file_waiter *w = table_at(&f->waits, 2);
    assert_int_equal(w->monitor, 1);
    assert_int_equal(profile_thread_at(p, w->thread)->serial, 200003);
    assert_true(w->is_entering);
    m = table_at(&f->monitors, 2);
    assert_string_equal(profile_string_at(p, m->signature)->bytes, "Lnobody;");
    assert_int_equal(m->owner, 0);
    profile_free(p);
}

static void the_time_of_a_monitor_has_its_class(void **state)
{
    (void)state;
    struct reader_error error;
    struct profile *p =
        read_text(HEAD "MONITOR TIME BEGIN (total = 10 ms) x\n"
                       "rank   self  accum   count trace monitor\n"
                       "   1 50.00% 50.00%       3 300001 java.lang.Object[] (Java)\n"
                       "MONITOR TIME END\n",
                  &error);
    const struct sums *sums = profile_sums(p, KIND_ENTER);
    assert_int_equal(error.code, 0);
    const struct sum *row = sums_at(sums, 1);
    assert_int_equal(row->value[0], 5 * NS_PER_MS);
    assert_int_equal(row->value[1], 3);
    assert_int_equal(hprof_serial_trace(p, row->trace), 300001);
    assert_string_equal(profile_string_at(p, row->text)->bytes, "java.lang.Object[] (Java)");
    profile_free(p);
}

static void the_last_histogram_counts(void **state)
{
    (void)state;
    struct reader_error error;
    struct profile *p = read_text(HEAD "HISTOGRAM BEGIN (total = 99 bytes) x\n"
                                       "          percent                            class\n"
                                       " rank   self  accum        bytes    objects name\n"
                                       "    1 99.00% 99.00%           98          8 gone\n"
                                       "HISTOGRAM END\n"
                                       "HISTOGRAM BEGIN (total = 40 bytes) x\n"
                                       "    1 80.00% 80.00%           32          2 a b[]\n"
                                       "HISTOGRAM END\n",
                                  &error);
    const struct sums *sums = profile_sums(p, KIND_HISTO);
    assert_int_equal(error.code, 0);
    assert_true(sums->is_measured);
    assert_int_equal(sums->rows.count, 1);
    assert_int_equal(sums_whole(sums), 40);
    const struct sum *row = sums_at(sums, 1);
    assert_int_equal(row->value[0], 32);
    assert_int_equal(row->value[1], 2);
    assert_string_equal(profile_string_at(p, profile_class_at(p, row->klass)->name)->bytes,
                        "a b[]");
    profile_free(p);
}

static void damage_of_each_table_has_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int code;
        uint64_t line;
    } rows[] = {
        {HEAD "CPU TIME (ms) BEGIN total\n", E_FORMAT, 4},
        {HEAD "CPU TIME (ms) BEGIN (total = 1) x\n   1 50% 50% x 1 a.b\n", E_FORMAT, 5},
        {HEAD "CPU TIME (ms) BEGIN (total = 1) x\n   1 50% 50% 1 1 a.b\n", E_TRUNCATED, 5},
        {HEAD "CPU TIME (ms) BEGIN (total = 1) x\n   1 50% 50% 1 1 a.b", E_TRUNCATED, 5},
        {"count callee caller time\n3 no descriptor 3\n", E_FORMAT, 2},
        {"count callee caller time\n3 a.b()V c.d()V\n", E_FORMAT, 2},
        {"count callee caller time\n3 a.b()V c.d()V 1\n3 a.b()V c.", E_TRUNCATED, 3},
        {HEAD "MONITOR TIME BEGIN (total = x ms) x\n", E_FORMAT, 4},
        {HEAD "MONITOR TIME BEGIN (total = 1 ms) x\n1 2% 3% 4\n", E_FORMAT, 5},
        {HEAD "MONITOR TIME BEGIN (total = 1 ms) x\n", E_TRUNCATED, 4},
        {HEAD "HISTOGRAM BEGIN (2 bytes) x\n", E_FORMAT, 4},
        {HEAD "HISTOGRAM BEGIN (total = 2 bytes) x\n1 2% 3% 4\n", E_FORMAT, 5},
        {HEAD "HISTOGRAM BEGIN (total = 2 bytes) x\n1 2% 3% 4 5 a\n", E_TRUNCATED, 5},
        {HEAD "MONITOR DUMP BEGIN\n    THREAD 1, trace x\n", E_FORMAT, 5},
        {HEAD "MONITOR DUMP BEGIN\n\twaiting to enter: thread 1\n", E_FORMAT, 5},
        {HEAD "MONITOR DUMP BEGIN\n    MONITOR La;\n\towner: thread x\n", E_FORMAT, 6},
        {HEAD "MONITOR DUMP BEGIN\n    MONITOR La; unowned\n\twaiting to enter: thread 1, x\n",
         E_FORMAT, 6},
        {HEAD "MONITOR DUMP BEGIN\n    MONITOR La;\n", E_TRUNCATED, 5},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct reader_error error;
        struct profile *p = read_text(rows[i].text, &error);
        if (error.code != rows[i].code || error.line != rows[i].line || !error.detail)
            fail_msg("row %d: code %d, line %d", (int)i, error.code, (int)error.line);
        profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_the_original_is_there),
        cmocka_unit_test(counts_that_do_not_fit_are_refused),
        cmocka_unit_test(the_time_of_a_row_is_its_share_of_the_total),
        cmocka_unit_test(callee_and_caller_of_the_old_format_are_a_stack),
        cmocka_unit_test(the_last_dump_of_monitors_counts),
        cmocka_unit_test(the_time_of_a_monitor_has_its_class),
        cmocka_unit_test(the_last_histogram_counts),
        cmocka_unit_test(damage_of_each_table_has_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
