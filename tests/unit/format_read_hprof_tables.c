/*
 * format_read_hprof_tables.c - the text reader: CPU TIME, cpu=old, MONITOR TIME, MONITOR DUMP.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"
#include "format/format.h"
#include "profile/found.h"
#include "testfile.h"

#define HEAD "JAVA PROFILE 1.0.1, created x\n\n--------\n"

static struct profile *read_text(const char *text, struct format_error *error)
{
    struct profile *p = profile_new(1 << 20);
    *error = (struct format_error){0};
    format_named("hprof-text")->read((const unsigned char *)text, strlen(text), p, error);
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
        enum found_kind kind;
        uint32_t tables, rows;
        uint64_t count, total_us;
    } files[] = {
        {"times/java.hprof.txt", FOUND_TIMES, 1, 8, 20, 317000},
        {"times_all/java.hprof.txt", FOUND_TIMES, 1, 43, 1022, 315000},
        {"times_depth0/java.hprof.txt", FOUND_TIMES, 1, 1, 14967, 35000},
        {"old/java.hprof.txt", FOUND_OLD, 1, 1518, 15256, 0},
        {"old_depth5/java.hprof.txt", FOUND_OLD, 1, 1496, 14966, 0},
        {"quit_old/java.hprof.txt.gz", FOUND_OLD, 2, 1681, 54880, 0},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[256];
        size_t len;
        struct format_error error;
        snprintf(name, sizeof name, "hprof-golden/%s", files[i].file);
        char *text = testfile_read(name, &len);
        struct profile *p = profile_new(64 << 20);
        if (format_named("hprof-text")->read((unsigned char *)text, len, p, &error) != 0)
            fail_msg("%s: line %d: %s", name, (int)error.line, error.detail);
        const struct found *f = profile_found(p);
        const struct table *rows = &f->times[files[i].kind];
        uint64_t count = 0;
        for (uint32_t j = 1; j <= rows->count; j++)
            count += ((const struct found_time *)table_at(rows, j))->count;
        if (f->seen[files[i].kind] != files[i].tables || rows->count != files[i].rows ||
            count != files[i].count || f->total_us[files[i].kind] != files[i].total_us)
            fail_msg("%s: %d tables, %d rows, %d calls, %d us", name, (int)f->seen[files[i].kind],
                     (int)rows->count, (int)count, (int)f->total_us[files[i].kind]);
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
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct format_error error;
        struct profile *p = read_text(files[i].text, &error);
        if (error.code != E_FORMAT || error.line != files[i].line)
            fail_msg("file %zu: code %d, line %d", i, error.code, (int)error.line);
        profile_free(p);
    }
}

static void the_time_of_a_row_is_its_share_of_the_total(void **state)
{
    (void)state;
    struct format_error error;
    struct profile *p = read_text(HEAD "CPU TIME (ms) BEGIN (total = 2000) x\n"
                                       "rank   self  accum   count trace method\n"
                                       "   1 75.50% 75.50%      20 300001 a.B.c\n"
                                       "   2  4,05% 79.55%       1 300000 <empty trace>\n"
                                       "   3   nan%   nan%       7 300003 a.B.d\n"
                                       "   4 900.00% 1.00%       1 300004 a.B.e\n"
                                       "CPU TIME (ms) END\n",
                                  &error);
    const struct table *rows = &profile_found(p)->times[FOUND_TIMES];
    static const uint64_t us[] = {1510000, 81000, 0, 2000000};
    assert_int_equal(error.code, 0);
    assert_int_equal(rows->count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(((const struct found_time *)table_at(rows, i + 1))->us, us[i]);
    assert_string_equal(top_frame(p, ((const struct found_time *)table_at(rows, 3))->trace), "d");
    profile_free(p);
}

static void callee_and_caller_of_the_old_format_are_a_stack(void **state)
{
    (void)state;
    struct format_error error;
    struct profile *p = read_text("count callee caller time\n"
                                  "3 a.B.c(I[Ljava/lang/String;)V a.B.with blank()[J 12\n"
                                  "2 a.B.c(I[Ljava/lang/String;)V <unknown caller> 1\n"
                                  "1 <unknown callee> <unknown caller> 0\n",
                                  &error);
    const struct table *rows = &profile_found(p)->times[FOUND_OLD];
    assert_int_equal(error.code, 0);
    assert_int_equal(rows->count, 3);
    const struct found_time *row = table_at(rows, 1);
    const struct profile_trace *t = profile_trace_at(p, row->trace);
    assert_int_equal(row->us, 12000);
    assert_int_equal(t->depth, 2);
    const struct profile_method *m =
        profile_method_at(p, profile_frame_at(p, t->frames[1])->method);
    assert_string_equal(profile_string_at(p, m->name)->bytes, "with blank");
    assert_string_equal(profile_string_at(p, m->descriptor)->bytes, "()[J");
    row = table_at(rows, 2);
    assert_int_equal(profile_trace_at(p, row->trace)->depth, 1);
    row = table_at(rows, 3);
    assert_int_equal(profile_trace_at(p, row->trace)->depth, 0);
    profile_free(p);
}

static void the_last_dump_of_monitors_counts(void **state)
{
    (void)state;
    struct format_error error;
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
    const struct found *f = profile_found(p);
    assert_int_equal(error.code, 0);
    assert_int_equal(f->seen[FOUND_MONITOR_DUMP], 2);
    assert_int_equal(f->threads.count, 1);
    assert_int_equal(f->monitors.count, 2);
    assert_int_equal(f->waits.count, 2);
    const struct found_thread *t = table_at(&f->threads, 1);
    assert_int_equal(profile_thread_at(p, t->thread)->serial, 200002);
    assert_string_equal(profile_string_at(p, t->status)->bytes, "S|intr|MW");
    const struct found_monitor *m = table_at(&f->monitors, 1);
    assert_string_equal(profile_string_at(p, m->signature)->bytes, "Lwith unowned;");
    assert_int_equal(profile_thread_at(p, m->owner)->serial, 200001);
    assert_int_equal(m->entry_count, 7);
    const struct found_waiter *w = table_at(&f->waits, 2);
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
    struct format_error error;
    struct profile *p =
        read_text(HEAD "MONITOR TIME BEGIN (total = 10 ms) x\n"
                       "rank   self  accum   count trace monitor\n"
                       "   1 50.00% 50.00%       3 300001 java.lang.Object[] (Java)\n"
                       "MONITOR TIME END\n",
                  &error);
    const struct table *rows = &profile_found(p)->times[FOUND_MONITORS];
    assert_int_equal(error.code, 0);
    const struct found_time *row = table_at(rows, 1);
    assert_int_equal(row->us, 5000);
    assert_int_equal(row->count, 3);
    assert_int_equal(profile_trace_at(p, row->trace)->serial, 300001);
    assert_string_equal(profile_string_at(p, row->name)->bytes, "java.lang.Object[] (Java)");
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
        {HEAD "MONITOR DUMP BEGIN\n    THREAD 1, trace x\n", E_FORMAT, 5},
        {HEAD "MONITOR DUMP BEGIN\n\twaiting to enter: thread 1\n", E_FORMAT, 5},
        {HEAD "MONITOR DUMP BEGIN\n    MONITOR La;\n\towner: thread x\n", E_FORMAT, 6},
        {HEAD "MONITOR DUMP BEGIN\n    MONITOR La; unowned\n\twaiting to enter: thread 1, x\n",
         E_FORMAT, 6},
        {HEAD "MONITOR DUMP BEGIN\n    MONITOR La;\n", E_TRUNCATED, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct format_error error;
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
        cmocka_unit_test(damage_of_each_table_has_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
