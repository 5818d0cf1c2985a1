/* format_row_marks.c - one model, several writers. SPDX-License-Identifier: Apache-2.0 */
#include "format/row_marks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/rd.h"
#include "base/sink.h"
#include "cmocka_all.h"
#include "format/hprof_bin.h"
#include "profile/sums.h"
#include "hprofout.h"
#include "testfile.h"
#include "samples.h"

enum { STEPS = 12, OUTPUTS_MAX = 3 };

/* One output under test; bit N of `tables` says that it writes one behind step N. */
struct output {
    const struct writer *writer;
    unsigned tables;
    int fd;
    struct sink sink;
    struct writer_out out;
    char *bytes;
    size_t len;
};

/* A step makes a class, a thread, two frames and a trace, and all traces so far have samples. */
static void grow(struct profile *p, int step)
{
    char text[64];
    snprintf(text, sizeof(text), "p.C%d", step);
    string_id name = profile_cstring(p, text);
    method_id m = profile_method(p, profile_class_named(p, name), profile_cstring(p, "m"), 0, name);
    frame_id stack[] = {profile_frame(p, m, -1, step), profile_frame(p, m, -1, 1)};
    thread_id thread = profile_add_thread(p, 200001 + (uint32_t)step, 7, name, name, 0);
    trace_id last = profile_trace(p, thread, stack, 2);
    for (trace_id t = 1; t <= last; t++)
        samples_add(p, t, t * 10 + (uint64_t)step);
}

static void open_output(struct output *o, struct profile *p)
{
    const struct hprof_out_config config = {.print_lines = 1, .print_threads = 1, .created_ms = 1};
    o->fd = testfile_temp();
    assert_int_equal(sink_init(&o->sink, o->fd), 0);
    hprofout_open(&o->out, o->writer, &o->sink, p, &config);
    writer_begin(&o->out);
}

static void write_table(struct output *o, struct profile *p)
{
    writer_thread(&o->out, profile_thread_count(p), true);
    hprofout_samples(&o->out, 0);
    writer_quality(&o->out);
    writer_next(&o->out, KIND_SAMPLE);
}

/* Times differ from run to run: the date behind a table's first line, and in records' heads. */
static void blank_times(struct output *o)
{
    static const char begin[] = "SAMPLES BEGIN (total = ";
    struct rd r;
    if (o->writer == &hprof_text_out) {
        for (char *at = o->bytes; (at = strstr(at, begin)) != NULL; at++) {
            char *date = strchr(at, ')');
            memset(date, ' ', strcspn(date, "\n"));
        }
        return;
    }
    rd_init(&r, o->bytes, o->len);
    rd_skip(&r, strlen(o->bytes) + 1 + 4 + 8);
    while (rd_left(&r) > 0) {
        rd_u1(&r);
        memset(o->bytes + r.pos, 0, 4);
        rd_u4(&r);
        rd_skip(&r, rd_u4(&r));
    }
    assert_int_equal(r.error, 0);
}

static void close_output(struct output *o)
{
    assert_int_equal(sink_done(&o->sink), 0);
    writer_end(&o->out);
    o->bytes = testfile_contents(o->fd, &o->len);
    close(o->fd);
    blank_times(o);
}

/* The same model grows in the same steps, and these outputs write of it. */
static void run(struct output *outputs, size_t count)
{
    struct profile *p = profile_new(16 << 20);
    for (size_t i = 0; i < count; i++)
        open_output(&outputs[i], p);
    for (int step = 0; step < STEPS; step++) {
        grow(p, step);
        for (size_t i = 0; i < count; i++)
            if (outputs[i].tables >> step & 1)
                write_table(&outputs[i], p);
    }
    for (size_t i = 0; i < count; i++)
        close_output(&outputs[i]);
    profile_free(p);
}

static void expect_as_alone(const struct output *wanted, size_t count)
{
    struct output together[OUTPUTS_MAX];
    memcpy(together, wanted, count * sizeof(*wanted));
    run(together, count);
    for (size_t i = 0; i < count; i++) {
        struct output alone = wanted[i];
        run(&alone, 1);
        assert_int_equal(together[i].len, alone.len);
        assert_memory_equal(together[i].bytes, alone.bytes, alone.len);
        free(alone.bytes);
        free(together[i].bytes);
    }
}

static void two_writers_of_one_model_write_what_each_alone_writes(void **state)
{
    (void)state;
    const struct output both[] = {{.writer = &hprof_text_out, .tables = 0x555},
                                  {.writer = &hprof_bin_out, .tables = 0xaaa}};
    expect_as_alone(both, 2);
}

static void writers_of_one_format_have_tables_of_their_own(void **state)
{
    (void)state;
    const struct output all[] = {{.writer = &hprof_bin_out, .tables = 0xfff},
                                 {.writer = &hprof_bin_out, .tables = 0x842},
                                 {.writer = &hprof_bin_out, .tables = 0x800}};
    expect_as_alone(all, 3);
}

static void a_mark_is_new_once_until_it_is_forgotten(void **state)
{
    (void)state;
    struct row_marks m;
    row_marks_init(&m, 0);
    for (uint32_t id = 1; id < 1000; id += 7)
        assert_true(row_marks_set(&m, ROW_MARKS_TRACE, id));
    for (uint32_t id = 1; id < 1000; id++)
        assert_int_equal(row_marks_set(&m, ROW_MARKS_TRACE, id), id % 7 != 1);
    assert_true(row_marks_set(&m, ROW_MARKS_FRAME, 8));
    row_marks_forget(&m);
    assert_true(row_marks_set(&m, ROW_MARKS_TRACE, 8));
    assert_true(row_marks_set(&m, ROW_MARKS_FRAME, 8));
    row_marks_done(&m);
}

static void a_class_keeps_its_object(void **state)
{
    (void)state;
    struct row_marks m;
    row_marks_init(&m, 0);
    assert_int_equal(row_marks_class(&m, 5), 0);
    row_marks_set_class(&m, 5, UINT64_C(1) << 40);
    row_marks_forget(&m);
    assert_int_equal(row_marks_class(&m, 5), UINT64_C(1) << 40);
    assert_int_equal(row_marks_class(&m, 4), 0);
    row_marks_done(&m);
}

/* The rows of a model of random shape fit into the marks' share of its budget. */
static void marks_of_a_full_model_fit_into_their_budget(void **state)
{
    (void)state;
    enum { BUDGET = 4 << 20 };
    struct profile *p = profile_new(BUDGET);
    struct row_marks m;
    row_marks_init(&m, BUDGET / ROW_MARKS_SHARE);
    method_id method = profile_method(p, 0, profile_cstring(p, "m"), 0, 0);
    for (int i = 0; profile_lost(p) == 0; i++) {
        frame_id frame = profile_frame(p, method, -1, i);
        trace_id trace = profile_trace(p, 0, &frame, 1);
        if (trace)
            samples_add(p, trace, 1);
    }
    row_marks_set_before(&m, KIND_SAMPLE, profile_sums(p, KIND_SAMPLE));
    for (trace_id id = 1; id <= profile_trace_count(p); id++)
        assert_true(row_marks_set(&m, ROW_MARKS_TRACE, id));
    for (trace_id id = 1; id <= profile_trace_count(p); id++)
        assert_false(row_marks_set(&m, ROW_MARKS_TRACE, id));
    assert_int_equal(row_marks_before(&m, KIND_SAMPLE, profile_sums(p, KIND_SAMPLE)->rows.count),
                     1);
    row_marks_done(&m);
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_writers_of_one_model_write_what_each_alone_writes),
        cmocka_unit_test(writers_of_one_format_have_tables_of_their_own),
        cmocka_unit_test(a_mark_is_new_once_until_it_is_forgotten),
        cmocka_unit_test(a_class_keeps_its_object),
        cmocka_unit_test(marks_of_a_full_model_fit_into_their_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
