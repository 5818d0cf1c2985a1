/* format_hprof_text_out.c - the text writer. SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/sink.h"
#include "cmocka_all.h"
#include "format/format.h"
#include "hprofout.h"
#include "testfile.h"
#include "samples.h"
#include "serials.h"

static const double usual_cutoff = 0.0001;

/* One output under test, into a file without a name. */
struct output {
    int fd;
    struct sink sink;
    struct profile *profile;
    struct writer_out out;
};

/* close_output() frees the profile. */
static void open_output_of(struct output *w, struct hprof_out_config config, struct profile *p)
{
    w->fd = testfile_temp();
    assert_int_equal(sink_init(&w->sink, w->fd), 0);
    w->profile = p;
    assert_non_null(w->profile);
    hprofout_open(&w->out, &hprof_text_out, &w->sink, w->profile, &config);
    writer_begin(&w->out);
}

static void open_output(struct output *w, struct hprof_out_config config)
{
    open_output_of(w, config, profile_new(64 << 20));
}

static char *close_output(struct output *w)
{
    size_t len;
    assert_int_equal(sink_done(&w->sink), 0);
    writer_end(&w->out);
    char *text = testfile_contents(w->fd, &len);
    profile_free(w->profile);
    close(w->fd);
    return text;
}

static struct profile *read_golden(const char *name, char **ret_text)
{
    size_t len;
    struct reader_error error;
    *ret_text = testfile_read(name, &len);
    struct profile *p = profile_new(64 << 20);
    const struct format *f = format_named("hprof-text");
    assert_int_equal(format_read(f, *ret_text, len, p, &error), 0);
    return p;
}

/* Cut the date behind each "(total = N) ", the one thing that differs from run to run. */
static void cut_dates(char *text)
{
    while ((text = strstr(text, "(total = ")) != NULL) {
        text = strchr(text, ')') + 1;
        char *end = strchr(text, '\n');
        memmove(text, end, strlen(end) + 1);
    }
}

static void assert_same_records(char *ours, char *golden, const char *from)
{
    cut_dates(ours);
    cut_dates(golden);
    const char *records = strstr(ours, "--------");
    const char *a = records ? strstr(records, from) : NULL;
    const char *b = strstr(golden, from);
    assert_non_null(a);
    assert_non_null(b);
    assert_string_equal(a, b);
}

/* Read a file of the original, write the model again: traces and table must be the same text. */
static void write_again(const char *name, struct hprof_out_config config, const char *from)
{
    char *golden;
    struct profile *p = read_golden(name, &golden);
    struct output w;
    open_output_of(&w, config, p);
    hprofout_samples(&w.out, usual_cutoff);
    char *ours = close_output(&w);
    assert_same_records(ours, golden, from);
    free(ours);
    free(golden);
}

static const struct hprof_out_config usual = {.print_lines = 1};

static void tables_of_the_original_are_written_the_same(void **state)
{
    (void)state;
    write_again("hprof-golden/samples/java.hprof.txt", usual, "TRACE ");
    write_again("hprof-golden/samples_depth1/java.hprof.txt", usual, "TRACE ");
    write_again("hprof-golden/term_samples/java.hprof.txt", usual, "TRACE ");
    write_again("hprof-golden/samples_depth0/java.hprof.txt", usual, "CPU SAMPLES");
}

static void with_threads_each_trace_names_its_thread(void **state)
{
    (void)state;
    struct hprof_out_config config = usual;
    config.print_threads = 1;
    write_again("hprof-golden/samples_thread/java.hprof.txt", config, "TRACE ");
}

static void without_line_numbers_every_frame_says_unknown_line(void **state)
{
    (void)state;
    struct hprof_out_config config = usual;
    config.print_lines = 0;
    write_again("hprof-golden/envopt/java.hprof.txt", config, "TRACE ");
    write_again("hprof-golden/samples_nolineno/java.hprof.txt", config, "TRACE ");
}

static void add_ticks(struct profile *p, uint32_t serial, uint64_t ticks)
{
    samples_add(p, serials_trace(p, serial), ticks);
}

static void a_trace_is_written_once_and_later_tables_refer_back(void **state)
{
    (void)state;
    char *golden;
    struct profile *p = read_golden("hprof-golden/quit_samples/java.hprof.txt", &golden);
    struct output w;
    open_output_of(&w, usual, p);
    writer_next(&w.out, KIND_SAMPLE);
    add_ticks(p, 300081, 67);
    add_ticks(p, 300080, 2);
    add_ticks(p, 300034, 1);
    add_ticks(p, 300078, 1);
    add_ticks(p, 300079, 1);
    hprofout_samples(&w.out, usual_cutoff);
    writer_next(&w.out, KIND_SAMPLE);
    add_ticks(p, 300081, 53);
    add_ticks(p, 300080, 3);
    add_ticks(p, 300082, 1);
    hprofout_samples(&w.out, usual_cutoff);
    char *ours = close_output(&w);
    *strstr(golden, "THREAD END") = '\0';
    assert_same_records(ours, golden, "TRACE ");
    free(ours);
    free(golden);
}

static frame_id a_frame(struct profile *p, const char *klass, const char *name, int32_t line)
{
    class_id c = profile_class_named(p, profile_cstring(p, klass));
    string_id source = line >= 0 ? profile_cstring(p, "A.java") : 0;
    return profile_frame(p, profile_method(p, c, profile_cstring(p, name), 0, source), -1, line);
}

static void the_table_ends_at_the_first_row_below_the_cutoff_but_counts_all(void **state)
{
    (void)state;
    struct output w;
    open_output(&w, usual);
    frame_id f = a_frame(w.profile, "A", "hot", 70000);
    frame_id g = a_frame(w.profile, "A", "cold", -1);
    samples_add(w.profile, profile_trace(w.profile, 0, &f, 1), 96);
    samples_add(w.profile, profile_trace(w.profile, 0, &g, 1), 4);
    hprofout_samples(&w.out, 0.05);
    char *ours = close_output(&w);
    char golden[] = "TRACE 300001:\n"
                    "\tA.hot(A.java:70000)\n"
                    "CPU SAMPLES BEGIN (total = 100)x\n"
                    "rank   self  accum   count trace method\n"
                    "   1 96.00% 96.00%      96 300001 A.hot\n"
                    "CPU SAMPLES END\n";
    assert_same_records(ours, golden, "TRACE ");
    free(ours);
}

static void a_trace_without_frames_is_empty_in_both_places(void **state)
{
    (void)state;
    struct output w;
    open_output(&w, usual);
    samples_add(w.profile, 1, 1);
    hprofout_samples(&w.out, usual_cutoff);
    char *ours = close_output(&w);
    char golden[] = "TRACE 300000:\n"
                    "\t<empty>\n"
                    "CPU SAMPLES BEGIN (total = 1)x\n"
                    "rank   self  accum   count trace method\n"
                    "   1 100.00% 100.00%       1 300000 <empty trace>\n"
                    "CPU SAMPLES END\n";
    assert_same_records(ours, golden, "TRACE ");
    free(ours);
}

static void percentages_round_as_printf_does_whatever_the_locale(void **state)
{
    (void)state;
    /* 0.625 % lies in the middle and becomes 0.62; a locale that is missing changes nothing */
    setlocale(LC_NUMERIC, "de_DE.UTF-8");
    struct output w;
    open_output(&w, usual);
    frame_id f = a_frame(w.profile, "A", "a", 1);
    frame_id g = a_frame(w.profile, "A", "b", 1);
    samples_add(w.profile, profile_trace(w.profile, 0, &f, 1), 159);
    samples_add(w.profile, profile_trace(w.profile, 0, &g, 1), 1);
    hprofout_samples(&w.out, usual_cutoff);
    char *ours = close_output(&w);
    setlocale(LC_NUMERIC, "C");
    assert_non_null(strstr(ours, "\n   1 99.38% 99.38%     159 300001 A.a\n"));
    assert_non_null(strstr(ours, "\n   2  0.62% 100.00%       1 300002 A.b\n"));
    free(ours);
}

static void names_are_never_cut_and_never_break_a_line(void **state)
{
    (void)state;
    struct output w;
    open_output(&w, usual);
    char *name = malloc(70001);
    memset(name, 'n', 70000);
    name[70000] = '\0';
    frame_id f = a_frame(w.profile, name, "m", -1);
    samples_add(w.profile, profile_trace(w.profile, 0, &f, 1), 1);
    string_id odd = profile_cstring(w.profile, "t \"x\"\nTRACE 1:\r\n");
    thread_id t = profile_add_thread(w.profile, 200001, 0x50000001, odd,
                                     profile_cstring(w.profile, "main"), 0);
    writer_thread(&w.out, t, true);
    writer_thread(&w.out, t, false);
    hprofout_samples(&w.out, usual_cutoff);
    char *ours = close_output(&w);
    assert_non_null(strstr(ours, "\nTHREAD START (obj=50000001, id = 200001, "
                                 "name=\"t \"x\" TRACE 1:  \", group=\"main\")\n"
                                 "THREAD END (id = 200001)\n"));
    const char *row = strstr(ours, "300001 nnn");
    assert_non_null(row);
    assert_int_equal(strcspn(row, "\n"), 7 + 70000 + 2);
    free(name);
    free(ours);
}

static void the_prologue_begins_and_ends_as_readers_expect(void **state)
{
    (void)state;
    struct output w;
    struct hprof_out_config config = usual;
    config.created_ms = 1795256849123; /* the tests' time zone is UTC */
    open_output(&w, config);
    char *ours = close_output(&w);
    static const char first[] = "JAVA PROFILE 1.0.1, created Sat Nov 21 10:27:29 2026\n\n";
    assert_memory_equal(ours, first, sizeof(first) - 1);
    size_t len = strlen(ours);
    static const char last[] = "\n\n--------\n\n";
    assert_string_equal(ours + len - (sizeof(last) - 1), last);
    assert_non_null(strstr(ours, "\n  no table has been written yet"));
    assert_non_null(strstr(ours, "Apache License"));
    /* nothing before the dashes may look like a record to a reader that does not skip it */
    assert_null(strstr(ours, "\nTRACE"));
    assert_null(strstr(ours, "\nTHREAD"));
    assert_null(strstr(ours, "\nCPU"));
    free(ours);
}

static void quality_counts_replace_the_area_and_nothing_moves(void **state)
{
    (void)state;
    struct output w;
    open_output(&w, usual);
    sink_flush(&w.sink);
    uint64_t before = sink_position(&w.sink);
    profile_set_quality(w.profile, "samples", 2000);
    profile_set_quality(w.profile, "lost", 25);
    profile_set_quality(w.profile, "GC_active", 2);
    profile_set_quality(w.profile, "threads", 7);
    writer_quality(&w.out);
    assert_int_equal(sink_position(&w.sink), before);
    hprofout_samples(&w.out, usual_cutoff);
    char *ours = close_output(&w);
    const char *area = strstr(ours, "  hprof quality ");
    assert_non_null(area);
    assert_non_null(strstr(area, "\n  samples = 2000 "));
    assert_non_null(strstr(area, "\n  lost = 25 (1.25% of samples) "));
    assert_non_null(strstr(area, "\n  GC_active = 2 (0.10% of samples) "));
    assert_non_null(strstr(area, "\n  threads = 7  "));
    assert_null(strstr(ours, "no table has been written yet"));
    assert_non_null(strstr(ours, " \n\n--------\n\nCPU SAMPLES BEGIN"));
    free(ours);
}

/* What is written with 60 counts, whose names are longer than a line. */
static char *many_counts(struct hprof_out_config config)
{
    static char names[60][80];
    struct output w;
    open_output(&w, config);
    for (int i = 0; i < 60; i++) {
        memset(names[i], 'q', sizeof(names[i]) - 1);
        memcpy(names[i], (char[]){(char)('0' + i / 10), (char)('0' + i % 10)}, 2);
        profile_set_quality(w.profile, names[i], UINT64_MAX);
    }
    writer_quality(&w.out);
    return close_output(&w);
}

static void more_counts_than_lines_are_said_to_be_more(void **state)
{
    (void)state;
    char *ours = many_counts(usual);
    const char *more = strstr(ours, "  (22 more)");
    assert_non_null(more);
    assert_memory_equal(more + 79, "\n\n--------\n\n", 12);
    free(ours);
}

static void where_many_are_measured_there_are_lines_for_all_counts(void **state)
{
    (void)state;
    struct hprof_out_config config = usual;
    config.many_counts = 1;
    char *ours = many_counts(config);
    assert_null(strstr(ours, "more)"));
    assert_non_null(strstr(ours, "\n  00qqq"));
    assert_non_null(strstr(ours, "\n  59qqq"));
    assert_non_null(strstr(ours, " \n\n--------\n\n"));
    free(ours);
}

static void into_a_pipe_everything_but_the_quality_counts_is_written(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct output w;
    open_output(&w, usual);
    w.sink.fd = ends[1];
    profile_set_quality(w.profile, "samples", 1);
    writer_quality(&w.out);
    hprofout_samples(&w.out, usual_cutoff);
    writer_quality(&w.out);
    assert_int_equal(sink_flush(&w.sink), 0);
    char bytes[256] = "";
    ssize_t n = read(ends[0], bytes, sizeof(bytes) - 1);
    assert_true(n > 0);
    assert_memory_equal(bytes, "CPU SAMPLES BEGIN", 17);
    assert_null(strstr(bytes, "samples ="));
    w.sink.fd = w.fd;
    free(close_output(&w));
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_prologue_begins_and_ends_as_readers_expect),
        cmocka_unit_test(tables_of_the_original_are_written_the_same),
        cmocka_unit_test(with_threads_each_trace_names_its_thread),
        cmocka_unit_test(without_line_numbers_every_frame_says_unknown_line),
        cmocka_unit_test(a_trace_is_written_once_and_later_tables_refer_back),
        cmocka_unit_test(the_table_ends_at_the_first_row_below_the_cutoff_but_counts_all),
        cmocka_unit_test(a_trace_without_frames_is_empty_in_both_places),
        cmocka_unit_test(percentages_round_as_printf_does_whatever_the_locale),
        cmocka_unit_test(names_are_never_cut_and_never_break_a_line),
        cmocka_unit_test(quality_counts_replace_the_area_and_nothing_moves),
        cmocka_unit_test(more_counts_than_lines_are_said_to_be_more),
        cmocka_unit_test(where_many_are_measured_there_are_lines_for_all_counts),
        cmocka_unit_test(into_a_pipe_everything_but_the_quality_counts_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
