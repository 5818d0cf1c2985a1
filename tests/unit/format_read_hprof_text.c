/* format_read_hprof_text.c - the text reader. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/sink.h"
#include "cmocka_all.h"
#include "format/format.h"
#include "profiletext.h"
#include "hprofout.h"
#include "testfile.h"
#include "samples.h"
#include "serials.h"

static int read_bytes(const char *text, size_t len, struct profile *p, struct reader_error *error)
{
    *error = (struct reader_error){0};
    return format_read(format_named("hprof-text"), text, len, p, error);
}

/*
 * What a separate script counted in the recordings of the original agent: file, ticks in the rows
 * of all tables, traces that have ticks, serial and ticks of the first of them, threads.
 */
static const struct golden {
    const char *file;
    uint64_t ticks;
    int traces;
    uint32_t top_serial;
    uint64_t top_ticks;
    uint32_t threads;
} golden_files[] = {
    {"agentpath/java.hprof.txt", 2, 2, 300012, 1, 2},
    {"combo_samples_times/java.hprof.txt", 44796, 59, 302292, 43768, 2},
    {"envopt/java.hprof.txt", 15, 5, 300078, 11, 2},
    {"exit3/java.hprof.txt", 3, 3, 300012, 1, 1},
    {"file_nosuffix/plain", 1, 1, 300059, 1, 2},
    {"force_n/java.hprof.txt", 0, 0, 0, 0, 3},
    {"force_n_TXT/my.5896.TXT", 1, 1, 300041, 1, 3},
    {"force_n_exists/java.hprof.5819.txt", 1, 1, 300035, 1, 3},
    {"force_n_nosuffix/my.out.5870.txt", 1, 1, 300044, 1, 3},
    {"force_y_exists/java.hprof.txt", 1, 1, 300071, 1, 3},
    {"halt4/java.hprof.txt", 3, 3, 300012, 1, 1},
    {"intr_samples/java.hprof.txt", 1, 1, 300044, 1, 3},
    {"kill_samples/java.hprof.txt", 0, 0, 0, 0, 0},
    {"net_text/socket.out.gz", 369, 5, 300077, 171, 2},
    {"nomain/java.hprof.txt", 2, 2, 300044, 1, 2},
    {"quit_doe_n/java.hprof.txt", 58, 4, 300079, 55, 2},
    {"quit_samples/java.hprof.txt", 192, 6, 300081, 183, 2},
    {"samples/java.hprof.txt", 88, 9, 300078, 79, 3},
    {"samples_depth0/java.hprof.txt", 0, 0, 0, 0, 3},
    {"samples_depth1/java.hprof.txt", 24, 4, 300075, 21, 3},
    {"samples_int1/java.hprof.txt", 70, 1, 300083, 70, 3},
    {"samples_nolineno/java.hprof.txt", 25, 6, 300078, 20, 3},
    {"samples_thread/java.hprof.txt", 83, 14, 300203, 25, 7},
    {"term_samples/java.hprof.txt", 47, 5, 300078, 42, 2},
    {"times/java.hprof.txt", 0, 0, 0, 0, 3},
    {"uncaught/java.hprof.txt", 2, 2, 300041, 1, 3},
    {"verbose_n/java.hprof.txt", 2, 2, 300012, 1, 2},
    {"xrun/java.hprof.txt", 2, 2, 300018, 1, 2},
};

/* The trace with the most samples, or NULL. */
static const struct sum *top_of(struct profile *p)
{
    const struct sums *sums = profile_sums(p, KIND_SAMPLE);
    const struct sum *top = NULL;
    for (uint32_t i = 1; i <= sums->rows.count; i++)
        if (!top || sums_at(sums, i)->value[0] > top->value[0])
            top = sums_at(sums, i);
    return top;
}

static void every_recording_of_the_original_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(golden_files) / sizeof(*golden_files); i++) {
        const struct golden *g = &golden_files[i];
        char name[256];
        size_t len;
        struct reader_error error;
        snprintf(name, sizeof(name), "hprof-golden/%s", g->file);
        char *text = testfile_read(name, &len);
        struct profile *p = profile_new(64 << 20);
        int code = read_bytes(text, len, p, &error);
        if (code != 0)
            fail_msg("%s: line %d: %s", name, (int)error.line, error.detail);
        int traces = (int)profile_sums(p, KIND_SAMPLE)->rows.count;
        const struct sum *top = top_of(p);
        if (samples_all(p) != g->ticks || traces != g->traces ||
            (top && (hprof_serial_trace(p, top->trace) != g->top_serial ||
                     top->value[0] != g->top_ticks)) ||
            profile_thread_count(p) != g->threads)
            fail_msg("%s: %d ticks, %d traces, %d threads", name, (int)samples_all(p), traces,
                     (int)profile_thread_count(p));
        free(text);
        profile_free(p);
    }
}

static void frames_threads_and_names_are_taken_apart(void **state)
{
    (void)state;
    size_t len;
    struct reader_error error;
    char *text = testfile_read("hprof-golden/samples_thread/java.hprof.txt", &len);
    struct profile *p = profile_new(64 << 20);
    assert_int_equal(read_bytes(text, len, p, &error), 0);
    const struct profile_trace *t = profile_trace_at(p, serials_trace(p, 300204));
    assert_int_equal(t->depth, 4);
    assert_string_equal(profiletext_frame(p, t->frames[0]), "Thr spin Thr.java 3");
    assert_string_equal(profiletext_frame(p, t->frames[2]), "Thr$$Lambda$2.295530567 run  -1");
    const struct profile_thread *thread = profile_thread_at(p, t->thread);
    assert_int_equal(thread->serial, 200008);
    assert_int_equal(thread->object, 0x500002bf);
    assert_string_equal(profiletext_string(p, thread->name), "t \"quoted\" \303\251");
    assert_string_equal(profiletext_string(p, thread->group), "inner");
    assert_int_equal(thread->ended, 1);
    t = profile_trace_at(p, serials_trace(p, 300139));
    assert_string_equal(profiletext_frame(p, t->frames[0]),
                        "java.lang.Class isInterface Class.java -1");
    free(text);
    profile_free(p);
}

static void ticks_below_the_cutoff_are_counted_as_such(void **state)
{
    (void)state;
    size_t len;
    struct reader_error error;
    char *text = testfile_read("hprof-golden/samples_int1/java.hprof.txt", &len);
    struct profile *p = profile_new(64 << 20);
    assert_int_equal(read_bytes(text, len, p, &error), 0);
    uint32_t count;
    const struct profile_quality *q = profile_quality(p, &count);
    assert_int_equal(count, 1);
    assert_string_equal(q[0].name, "below_cutoff");
    assert_int_equal(q[0].count, 16);
    free(text);
    profile_free(p);
}

#define HEAD "JAVA PROFILE 1.0.1, created Sat Nov 21 10:27:29 2026\n\n--------\n\n"

static void odd_names_are_split_where_they_must_be(void **state)
{
    (void)state;
    static const char text[] = HEAD "TRACE 7: (thread=200009)\n"
                                    "\tk.K.name (with) parentheses(K.kt:12)\n"
                                    "\tNoPackage.<init>(<Unknown Source>:Unknown line)\n"
                                    "\tbare(Bare.java:3)\r\n"
                                    "CPU SAMPLES BEGIN (total = 3) some date\n"
                                    "rank   self  accum   count trace method\n"
                                    "   1 66.67% 66.67%       2     7 k.K.name (with) parentheses\n"
                                    "   2 33.33% 100.00%       1   8 only.In.table\n"
                                    "CPU SAMPLES END\n";
    struct reader_error error;
    struct profile *p = profile_new(1 << 20);
    assert_int_equal(read_bytes(text, sizeof(text) - 1, p, &error), 0);
    const struct profile_trace *t = profile_trace_at(p, serials_trace(p, 7));
    assert_int_equal(t->depth, 3);
    assert_string_equal(profiletext_frame(p, t->frames[0]), "k.K name (with) parentheses K.kt 12");
    assert_string_equal(profiletext_frame(p, t->frames[1]), "NoPackage <init>  -1");
    assert_string_equal(profiletext_frame(p, t->frames[2]), " bare Bare.java 3");
    assert_int_equal(profile_thread_at(p, t->thread)->serial, 200009);
    t = profile_trace_at(p, serials_trace(p, 8));
    assert_string_equal(profiletext_frame(p, t->frames[0]), "only.In table  -1");
    assert_int_equal(samples_all(p), 3);
    profile_free(p);
}

/* One row a damage: a text, and the line and offset (from the end of HEAD) at which it is found. */
static void damage_is_named_with_its_place_and_the_rest_is_kept(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int code;
        uint64_t line, offset;
    } rows[] = {
        {HEAD "TRACE 1:\n\tA.a(A.java:1)\nTRACE x:\n", E_FORMAT, 7, 24},
        {HEAD "TRACE 1:\n\tA.a(A.java:1)\n\tbroken\n", E_FORMAT, 7, 24},
        {HEAD "TRACE 1:\n\tA.a(A.java:1)\nTRACE 2:\n\tA.a(A.ja", E_TRUNCATED, 8, 33},
        {HEAD "TRACE 1:\n\tA.a(A.java:1)\nTRACE 2: (thread=z)\n", E_FORMAT, 7, 24},
        {HEAD "TRACE 1:\n\tA.a(A.java:1)\nTHREAD START (id = 1)\n", E_FORMAT, 7, 24},
        {HEAD "TRACE 1:\n\tA.a(A.java:1)\nTHREAD END 4\n", E_FORMAT, 7, 24},
        {HEAD "TRACE 1:\n\tA.a(A.java:1)\nCPU SAMPLES BEGIN total\n", E_FORMAT, 7, 24},
        {HEAD "TRACE 1:\n\tA.a(A.java:1)\nCPU SAMPLES BEGIN (total = 1) d\nno row\n", E_FORMAT, 8,
         56},
        {HEAD "TRACE 1:\n\tA.a(A.java:1)\nCPU SAMPLES BEGIN (total = 1) d\n"
              "   1 100% 100% 1 1 A.a\n",
         E_TRUNCATED, 8, 56},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct reader_error error;
        struct profile *p = profile_new(1 << 20);
        int code = read_bytes(rows[i].text, strlen(rows[i].text), p, &error);
        uint64_t offset = error.offset - (sizeof(HEAD) - 1);
        if (code != rows[i].code || error.code != code || error.line != rows[i].line ||
            offset != rows[i].offset || !error.detail)
            fail_msg("row %d: code %d, line %d, offset %d", (int)i, code, (int)error.line,
                     (int)offset);
        assert_int_not_equal(serials_trace(p, 1), 0);
        profile_free(p);
    }
}

static void what_is_no_hprof_text_is_refused(void **state)
{
    (void)state;
    struct reader_error error;
    struct profile *p = profile_new(1 << 20);
    assert_int_equal(read_bytes("", 0, p, &error), E_FORMAT);
    assert_int_equal(read_bytes("hello\n", 6, p, &error), E_FORMAT);
    static const char no_dashes[] = "JAVA PROFILE 1.0.1, created x\n\nTRACE 1:\n";
    assert_int_equal(read_bytes(no_dashes, sizeof(no_dashes) - 1, p, &error), E_TRUNCATED);
    profile_free(p);
}

static void a_model_out_of_budget_is_an_error_of_the_reader(void **state)
{
    (void)state;
    size_t room = 4 << 20;
    char *text = malloc(room);
    size_t len = (size_t)snprintf(text, room, "%s", HEAD);
    for (int i = 1; len < room - 200; i++)
        len += (size_t)snprintf(text + len, room - len, "TRACE %d:\n\tpackage%d.A.a(A.java:1)\n", i,
                                i);
    struct reader_error error;
    struct profile *p = profile_new(1 << 20);
    assert_int_equal(read_bytes(text, len, p, &error), E_LIMIT);
    assert_true(profile_trace_count(p) > 100);
    profile_free(p);
    free(text);
}

static void what_the_writer_wrote_is_read_with_its_quality_counts(void **state)
{
    (void)state;
    struct profile *p = profile_new(1 << 20);
    struct sink s;
    int fd = testfile_temp();
    sink_init(&s, fd);
    struct writer_out o;
    const struct hprof_out_config config = {.print_lines = 1, .print_threads = 1};
    hprofout_open(&o, &hprof_text_out, &s, p, &config);
    writer_begin(&o);
    string_id name = profile_cstring(p, "a, \"name\", group=\"x\"");
    thread_id thread = profile_add_thread(p, 200001, 0xfedcba98, name, name, 0);
    writer_thread(&o, thread, true);
    class_id c = profile_class_named(p, profile_cstring(p, "p.C"));
    method_id m = profile_method(p, c, profile_cstring(p, "m"), 0, profile_cstring(p, "C.java"));
    frame_id stack[2] = {profile_frame(p, m, -1, 0), profile_frame(p, m, -1, INT32_MAX)};
    trace_id with_thread = profile_trace(p, thread, stack, 2);
    samples_add(p, with_thread, UINT64_C(1) << 40);
    samples_add(p, 1, 5);
    profile_set_quality(p, "samples", 99);
    profile_set_quality(p, "lost", 3);
    writer_quality(&o);
    hprofout_samples(&o, 0);
    assert_int_equal(sink_done(&s), 0);
    writer_end(&o);
    size_t len;
    char *text = testfile_contents(fd, &len);
    struct profile *q = profile_new(1 << 20);
    struct reader_error error;
    assert_int_equal(read_bytes(text, len, q, &error), 0);
    const struct profile_trace *t = profile_trace_at(q, serials_trace(q, 300001));
    assert_int_equal(samples_of(q, serials_trace(q, 300001)), UINT64_C(1) << 40);
    assert_string_equal(profiletext_frame(q, t->frames[0]), "p.C m C.java 0");
    assert_string_equal(profiletext_frame(q, t->frames[1]), "p.C m C.java 2147483647");
    assert_int_equal(profile_thread_at(q, t->thread)->object, 0xfedcba98);
    assert_int_equal(samples_of(q, 1), 5);
    uint32_t count;
    const struct profile_quality *rows = profile_quality(q, &count);
    assert_int_equal(count, 2);
    assert_string_equal(rows[1].name, "lost");
    assert_int_equal(rows[1].count, 3);
    free(text);
    close(fd);
    profile_free(p);
    profile_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recording_of_the_original_is_read),
        cmocka_unit_test(frames_threads_and_names_are_taken_apart),
        cmocka_unit_test(ticks_below_the_cutoff_are_counted_as_such),
        cmocka_unit_test(odd_names_are_split_where_they_must_be),
        cmocka_unit_test(damage_is_named_with_its_place_and_the_rest_is_kept),
        cmocka_unit_test(what_is_no_hprof_text_is_refused),
        cmocka_unit_test(a_model_out_of_budget_is_an_error_of_the_reader),
        cmocka_unit_test(what_the_writer_wrote_is_read_with_its_quality_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
