/* format_read_jfr.c - JFR files as profiles. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"
#include "format/format.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "testfile.h"

/* What tests/data/jfr/make_small.py wrote: four samples in each of two chunks, of two stacks. */
static struct profile *read_small(size_t missing, int code)
{
    struct reader_error error = {0};
    struct profile *p = profile_new(1 << 20);
    size_t len;
    char *bytes = testfile_read("jfr/small.jfr", &len);
    assert_non_null(p);
    assert_int_equal(format_read(format_named("jfr"), bytes, len - missing, p, &error), code);
    assert_int_equal(error.code, code);
    free(bytes);
    return p;
}

static void samples_of_all_chunks_add_up(void **state)
{
    struct profile *p = read_small(0, 0);
    const struct sums *sums = profile_sums(p, KIND_SAMPLE);
    (void)state;
    assert_int_equal(sums->total[0], 8);
    assert_int_equal(sums->rows.count, 2);
    const struct profile_trace *trace = profile_trace_at(p, sums_at(sums, 1)->trace);
    assert_int_equal(trace->depth, 2);
    const struct profile_frame *frame = profile_frame_at(p, trace->frames[0]);
    const struct profile_method *method = profile_method_at(p, frame->method);
    assert_int_equal(frame->kind, FRAME_C2);
    assert_int_equal(frame->line, 12);
    assert_string_equal(profile_string_at(p, method->name)->bytes, "run");
    assert_string_equal(profile_string_at(p, profile_class_at(p, method->klass)->name)->bytes,
                        "test.Work");
    profile_free(p);
}

static void of_a_cut_file_what_is_whole_is_there(void **state)
{
    struct profile *p = read_small(1, E_TRUNCATED);
    (void)state;
    assert_int_equal(profile_sums(p, KIND_SAMPLE)->total[0], 4);
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_all_chunks_add_up),
        cmocka_unit_test(of_a_cut_file_what_is_whole_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
