/* format_hprof_sites.c - tables of sites, written and read. SPDX-License-Identifier: Apache-2.0 */
#include "format/hprof_out.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/sink.h"
#include "cmocka_all.h"
#include "format/format.h"
#include "format/hprof_serial.h"
#include "hprofout.h"
#include "testfile.h"
#include "samples.h"

struct output {
    int fd;
    struct sink sink;
    struct profile *profile;
    struct writer_out out;
    struct writer_sites_row rows[3];
    struct writer_sites sites;
};

static struct event site(class_id klass, trace_id trace, uint64_t live_bytes, uint64_t live_objects,
                         uint64_t bytes, uint64_t objects)
{
    return (struct event){.kind = KIND_SITE,
                          .trace = trace,
                          .klass = klass,
                          .value = {bytes, objects, live_bytes, live_objects}};
}

/* Three sites: two that tie, and one of more than 32 bits. */
static void open_output(struct output *w, const struct writer *ops)
{
    const struct hprof_out_config config = {.heap = 1, .print_lines = 1};
    *w = (struct output){.fd = testfile_temp()};
    assert_int_equal(sink_init(&w->sink, w->fd), 0);
    w->profile = profile_new(64 << 20);
    hprofout_open(&w->out, ops, &w->sink, w->profile, &config);
    writer_begin(&w->out);
    struct profile *p = w->profile;
    class_id ints = profile_class_named(p, profile_cstring(p, "int[]")),
             c = profile_class_named(p, profile_cstring(p, "p.C"));
    method_id m = profile_method(p, c, profile_cstring(p, "make"), profile_cstring(p, "()V"),
                                 profile_cstring(p, "C.java"));
    frame_id frame = profile_frame(p, m, 3, 17);
    trace_id trace = profile_trace(p, 0, &frame, 1);
    w->rows[0].site = site(c, trace, 240, 10, 480, 20);
    w->rows[1].site = site(ints, 1, 240, 6, 240, 6);
    w->rows[2].site = site(ints, trace, 520, 1, (uint64_t)5 << 32, 30);
    w->sites = (struct writer_sites){.rows = w->rows,
                                     .count = 3,
                                     .total = {((uint64_t)5 << 32) + 720, 56, 1000, 17},
                                     .flags = WRITER_SITES_COLLECTED};
}

static char *close_output(struct output *w, size_t *ret_len)
{
    assert_int_equal(sink_done(&w->sink), 0);
    writer_end(&w->out);
    char *bytes = testfile_contents(w->fd, ret_len);
    profile_free(w->profile);
    close(w->fd);
    return bytes;
}

static void the_text_has_the_originals_columns(void **state)
{
    (void)state;
    struct output w;
    size_t len;
    open_output(&w, &hprof_text_out);
    writer_sites(&w.out, &w.sites);
    char *text = close_output(&w, &len);
    assert_non_null(strstr(text, "TRACE 300000:\n\t<empty>\nTRACE 300001:\n\tp.C.make(C.java:17)\n"
                                 "SITES BEGIN (ordered by live bytes) "));
    assert_non_null(strstr(text,
                           "          percent          live          alloc'ed  stack class\n"
                           " rank   self  accum     bytes objs     bytes  objs trace name\n"
                           "    1 52.00% 52.00%       520    1 21474836480    30 300001 int[]\n"
                           "    2 24.00% 76.00%       240    6       240     6 300000 int[]\n"
                           "    3 24.00% 100.00%       240   10       480    20 300001 p.C\n"
                           "SITES END\n"));
    assert_null(strstr(text, "SITES ERRORS"));
    free(text);
}

static void the_cutoff_is_a_share_of_what_rows_are_sorted_by(void **state)
{
    (void)state;
    struct output w;
    size_t len;
    open_output(&w, &hprof_text_out);
    w.sites.cutoff = 0.25;
    assert_int_equal(hprof_out_sites_rank(&w.sites), 1);
    w.sites.cutoff = 0.24;
    assert_int_equal(hprof_out_sites_rank(&w.sites), 3);
    w.sites.flags = WRITER_SITES_BY_ALLOCATED;
    assert_int_equal(hprof_out_sites_rank(&w.sites), 1);
    free(close_output(&w, &len));
}

static void estimates_have_their_errors_behind_them(void **state)
{
    (void)state;
    struct output w;
    size_t len;
    open_output(&w, &hprof_text_out);
    w.sites.interval = 4096;
    w.rows[2].errors = (struct writer_sites_errors){{33, 4, 11, 2}};
    w.sites.total_errors = (struct writer_sites_errors){{77, 8, 55, 6}};
    writer_sites(&w.out, &w.sites);
    char *text = close_output(&w, &len);
    assert_non_null(
        strstr(text, "SITES END\nSITES ERRORS BEGIN (one standard error, sample = 4096)\n"));
    assert_non_null(strstr(text, "    1             11         2             33         4\n"));
    assert_non_null(strstr(text, "  all             55         6             77         8\n"));
    free(text);
}

static struct profile *read_back(const char *format, const char *bytes, size_t len)
{
    struct reader_error error;
    struct profile *p = profile_new(64 << 20);
    assert_int_equal(format_read(format_named(format), bytes, len, p, &error), 0);
    return p;
}

static void both_forms_read_back(void **state)
{
    (void)state;
    static const struct {
        const struct writer *ops;
        const char *format;
    } forms[] = {{&hprof_text_out, "hprof-text"}, {&hprof_bin_out, "hprof-binary"}};
    for (int i = 0; i < 2; i++) {
        struct output w;
        size_t len;
        open_output(&w, forms[i].ops);
        writer_sites(&w.out, &w.sites);
        writer_sites(&w.out, &w.sites);
        assert_int_equal(w.out.saturated, i == 0 ? 0 : 2);
        char *bytes = close_output(&w, &len);
        struct profile *p = read_back(forms[i].format, bytes, len);
        assert_int_equal(profile_sums(p, KIND_SITE)->rows.count,
                         3); /* the second table replaces the first */
        const struct sum *first = sums_at(profile_sums(p, KIND_SITE), 1);
        assert_int_equal(first->value[2], 520);
        assert_int_equal(first->value[0], (uint64_t)5 << 32);
        assert_int_equal(first->value[1], 30);
        assert_string_equal(profile_string_at(p, profile_class_at(p, first->klass)->name)->bytes,
                            "int[]");
        assert_int_equal(hprof_serial_trace(p, first->trace), 300001);
        profile_free(p);
        free(bytes);
    }
}

static void the_record_has_a_true_float_and_kinds(void **state)
{
    (void)state;
    struct output w;
    size_t len;
    static const unsigned char want[] = {
        0,    4, 0x3c, 0x23, 0xd7, 0x0a, /* flags, 0.01 */
        0,    0, 3,    0xe8, 0,    0,    0, 17, 0,  0, 0, 5, 0, 0,  2,
        0xd0, 0, 0,    0,    0,    0,    0, 0,  56, 0, 0, 0, 3, 10, /* rows, the first one's kind */
    };
    open_output(&w, &hprof_bin_out);
    w.sites.cutoff = 0.01;
    writer_sites(&w.out, &w.sites);
    char *bytes = close_output(&w, &len);
    size_t rest = 2 * 25 + 24;
    assert_memory_equal(bytes + len - rest - sizeof(want), want, sizeof(want));
    assert_int_equal(bytes[len - 25], 0); /* p.C: objects */
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_has_the_originals_columns),
        cmocka_unit_test(the_cutoff_is_a_share_of_what_rows_are_sorted_by),
        cmocka_unit_test(estimates_have_their_errors_behind_them),
        cmocka_unit_test(both_forms_read_back),
        cmocka_unit_test(the_record_has_a_true_float_and_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
