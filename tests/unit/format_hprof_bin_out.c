/* format_hprof_bin_out.c - the binary writer. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/rd.h"
#include "base/sink.h"
#include "cmocka_all.h"
#include "hprofout.h"
#include "testfile.h"
#include "samples.h"

/* One output under test and, after finish(), the bytes it made. */
struct output {
    int fd;
    struct sink sink;
    struct profile *profile;
    struct writer_out out;
    char *bytes;
    struct rd rd;
    int64_t created_ms;
};

static void open_output(struct output *w, struct hprof_out_config config)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    w->created_ms = now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000 - 1000;
    config.created_ms = w->created_ms;
    w->fd = testfile_temp();
    assert_int_equal(sink_init(&w->sink, w->fd), 0);
    w->profile = profile_new(16 << 20);
    hprofout_open(&w->out, &hprof_bin_out, &w->sink, w->profile, &config);
    writer_begin(&w->out);
}

static void finish(struct output *w)
{
    size_t len;
    assert_int_equal(sink_done(&w->sink), 0);
    writer_end(&w->out);
    w->bytes = testfile_contents(w->fd, &len);
    rd_init(&w->rd, w->bytes, len);
}

static void close_output(struct output *w)
{
    assert_int_equal(w->rd.error, 0);
    free(w->bytes);
    profile_free(w->profile);
    close(w->fd);
}

static void expect_header(struct output *w, const char *version)
{
    assert_memory_equal(rd_bytes(&w->rd, 19), version, 19);
    assert_int_equal(rd_u4(&w->rd), 4);
    assert_int_equal(rd_u8(&w->rd), (uint64_t)w->created_ms);
}

/* The head of the next record; its time must lie within the hour behind the header's. */
static void expect_record(struct output *w, int tag, uint32_t len)
{
    assert_int_equal(rd_u1(&w->rd), tag);
    uint32_t us = rd_u4(&w->rd);
    assert_in_range(us, 1000000, 3600000000u);
    assert_int_equal(rd_u4(&w->rd), len);
}

static void expect_utf8(struct output *w, uint32_t id, const char *text)
{
    size_t len = strlen(text);
    expect_record(w, 0x01, (uint32_t)(4 + len));
    assert_int_equal(rd_u4(&w->rd), id);
    assert_memory_equal(rd_bytes(&w->rd, len), text, len);
}

static void expect_numbers(struct output *w, const uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(rd_u4(&w->rd), numbers[i]);
}

#define EXPECT_NUMBERS(w, ...)                                                                     \
    expect_numbers(w, (const uint32_t[]){__VA_ARGS__},                                             \
                   sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void a_file_begins_with_its_header_and_control_settings(void **state)
{
    (void)state;
    struct output w;
    open_output(&w, (struct hprof_out_config){.depth = 4, .cpu_samples = 1});
    finish(&w);
    expect_header(&w, "JAVA PROFILE 1.0.1");
    expect_record(&w, 0x0e, 6);
    assert_int_equal(rd_u4(&w.rd), 2);
    assert_int_equal(rd_u2(&w.rd), 4);
    assert_int_equal(rd_left(&w.rd), 0);
    close_output(&w);
}

static void a_large_heap_means_version_1_0_2(void **state)
{
    (void)state;
    struct output w;
    open_output(&w, (struct hprof_out_config){.depth = 70000, .heap = 1, .large_heap = 1});
    finish(&w);
    expect_header(&w, "JAVA PROFILE 1.0.2");
    expect_record(&w, 0x0e, 6);
    assert_int_equal(rd_u4(&w.rd), 1);
    assert_int_equal(rd_u2(&w.rd), 65535);
    close_output(&w);
}

static void a_row_is_written_once_before_the_first_that_refers_to_it(void **state)
{
    (void)state;
    struct output w;
    open_output(&w, (struct hprof_out_config){.print_lines = 1, .cpu_samples = 1});
    struct profile *p = w.profile;
    class_id c = profile_add_class(p, profile_cstring(p, "p.C"));
    writer_load_class(&w.out, c, 0x50000007);
    writer_load_class(&w.out, c, 0x50000007);
    string_id main_name = profile_cstring(p, "main");
    thread_id t = profile_add_thread(p, 200001, 0x50000181, main_name, main_name,
                                     profile_cstring(p, "system"));
    writer_thread(&w.out, t, true);
    writer_thread(&w.out, t, false);
    string_id name = profile_cstring(p, "m");
    method_id m = profile_method(p, c, name, profile_cstring(p, "()V"), 0);
    frame_id stack[2] = {profile_frame(p, m, 3, 70000), profile_frame(p, m, 4, -1)};
    samples_add(p, profile_trace(p, t, stack, 2), UINT64_C(1) << 33);
    hprofout_samples(&w.out, 0);
    hprofout_samples(&w.out, 0);
    finish(&w);
    expect_header(&w, "JAVA PROFILE 1.0.1");
    rd_skip(&w.rd, 9 + 6);
    expect_utf8(&w, 0xa0000001, "p.C");
    expect_record(&w, 0x02, 16);
    EXPECT_NUMBERS(&w, 100000, 0x50000007, 300000, 0xa0000001);
    expect_utf8(&w, 0xa0000002, "main");
    expect_utf8(&w, 0xa0000003, "system");
    expect_record(&w, 0x0a, 24);
    EXPECT_NUMBERS(&w, 200001, 0x50000181, 300000, 0xa0000002, 0xa0000002, 0xa0000003);
    expect_record(&w, 0x0b, 4);
    EXPECT_NUMBERS(&w, 200001);
    expect_utf8(&w, 0xa0000004, "m");
    expect_utf8(&w, 0xa0000005, "()V");
    expect_record(&w, 0x04, 24);
    EXPECT_NUMBERS(&w, 0x70000001, 0xa0000004, 0xa0000005, 0, 100000, 70000);
    expect_record(&w, 0x04, 24);
    EXPECT_NUMBERS(&w, 0x70000002, 0xa0000004, 0xa0000005, 0, 100000, (uint32_t)-1);
    expect_record(&w, 0x05, 20);
    EXPECT_NUMBERS(&w, 300001, 0, 2, 0x70000001, 0x70000002);
    for (int table = 0; table < 2; table++) {
        expect_record(&w, 0x0d, 16);
        EXPECT_NUMBERS(&w, UINT32_MAX, 1, UINT32_MAX, 300001);
    }
    assert_int_equal(rd_left(&w.rd), 0);
    close_output(&w);
}

static void a_class_met_in_a_stack_first_is_loaded_there(void **state)
{
    (void)state;
    struct output w;
    open_output(&w, (struct hprof_out_config){.print_threads = 1});
    struct profile *p = w.profile;
    class_id c = profile_class_named(p, profile_cstring(p, "C"));
    thread_id t = profile_add_thread(p, 200005, 0, 0, 0, 0);
    frame_id f = profile_frame(p, profile_method(p, c, 0, 0, 0), -1, 5);
    samples_add(p, profile_trace(p, t, &f, 1), 1);
    hprofout_samples(&w.out, 0);
    finish(&w);
    expect_header(&w, "JAVA PROFILE 1.0.1");
    rd_skip(&w.rd, 9 + 6);
    expect_utf8(&w, 0xa0000001, "C");
    expect_record(&w, 0x02, 16);
    EXPECT_NUMBERS(&w, 100000, 0x58000001, 300000, 0xa0000001);
    expect_record(&w, 0x04, 24);
    EXPECT_NUMBERS(&w, 0x70000001, 0, 0, 0, 100000, (uint32_t)-1); /* lineno=n */
    expect_record(&w, 0x05, 16);
    EXPECT_NUMBERS(&w, 300001, 200005, 1, 0x70000001);
    close_output(&w);
}

static void rows_below_the_cutoff_are_left_out_with_their_traces(void **state)
{
    (void)state;
    struct output w;
    open_output(&w, (struct hprof_out_config){0});
    frame_id f = profile_frame(w.profile, profile_method(w.profile, 0, 0, 0, 0), -1, -1);
    samples_add(w.profile, profile_trace(w.profile, 0, &f, 1), 1);
    samples_add(w.profile, 1, 3);
    hprofout_samples(&w.out, 0.5);
    finish(&w);
    expect_header(&w, "JAVA PROFILE 1.0.1");
    rd_skip(&w.rd, 9 + 6);
    expect_record(&w, 0x05, 12);
    EXPECT_NUMBERS(&w, 300000, 0, 0);
    expect_record(&w, 0x0d, 16);
    EXPECT_NUMBERS(&w, 4, 1, 3, 300000);
    assert_int_equal(rd_left(&w.rd), 0);
    close_output(&w);
}

static void quality_counts_are_strings_that_nothing_refers_to(void **state)
{
    (void)state;
    struct output w;
    open_output(&w, (struct hprof_out_config){0});
    profile_set_quality(w.profile, "samples", 12);
    profile_set_quality(w.profile, "lost", 0);
    writer_quality(&w.out);
    profile_set_quality(w.profile, "samples", 13);
    writer_quality(&w.out);
    finish(&w);
    expect_header(&w, "JAVA PROFILE 1.0.1");
    rd_skip(&w.rd, 9 + 6);
    expect_utf8(&w, 0xafffffff, "hprof quality: samples=12, lost=0");
    expect_utf8(&w, 0xaffffffe, "hprof quality: samples=13, lost=0");
    assert_int_equal(rd_left(&w.rd), 0);
    close_output(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_begins_with_its_header_and_control_settings),
        cmocka_unit_test(a_large_heap_means_version_1_0_2),
        cmocka_unit_test(a_row_is_written_once_before_the_first_that_refers_to_it),
        cmocka_unit_test(a_class_met_in_a_stack_first_is_loaded_there),
        cmocka_unit_test(rows_below_the_cutoff_are_left_out_with_their_traces),
        cmocka_unit_test(quality_counts_are_strings_that_nothing_refers_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
