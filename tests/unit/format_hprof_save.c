/* format_hprof_save.c - whole profiles as HPROF files. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/sink.h"
#include "cmocka_all.h"
#include "format/format.h"
#include "format/hprof_file.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "testfile.h"

enum { TRACES = 40, NS_PER_MS = 1000000 };

/* Numbers that no share with two digits could bring back. */
static uint64_t number(uint32_t i)
{
    return (i + 1) * UINT64_C(1234567891011) % UINT64_C(98765432109) + 5;
}

/* Every kind has events at every trace. */
static struct profile *make_profile(void)
{
    struct profile *p = profile_new(64 << 20);
    for (uint32_t i = 0; i < TRACES; i++) {
        char text[64];
        snprintf(text, sizeof(text), "p.C%u", i);
        string_id name = profile_cstring(p, text);
        class_id klass = profile_class_named(p, name);
        method_id m = profile_method(p, klass, profile_cstring(p, "m"), profile_cstring(p, "()V"),
                                     profile_cstring(p, "C.java"));
        frame_id frames[] = {profile_frame(p, m, -1, (int32_t)i), profile_frame(p, m, -1, 7)};
        trace_id trace = profile_trace(p, 0, frames, 2);
        for (int kind = 0; kind < KIND_COUNT; kind++) {
            struct event e = {.kind = (enum kind_id)kind, .trace = trace};
            for (uint32_t v = 0; v < kind_value_count(e.kind); v++)
                e.value[v] = number(i * 7 + v * 3 + (uint32_t)kind);
            if (kind == KIND_SITE)
                e.klass = klass;
            if (kind == KIND_HISTO || kind == KIND_LIVE_HISTO) {
                e.klass = klass;
                e.trace = profile_trace(p, 0, NULL, 0);
            }
            if (kind == KIND_ENTER)
                e.text = profile_cstring(p, "p.Lock (Java)");
            if (kind == KIND_CALL)
                e.value[2] = 0; /* not in the file without raw=y */
            if (kind == KIND_OLD_CALL)
                e.value[0] = number(i) % 100000 * NS_PER_MS; /* its table has ms */
            assert_int_equal(profile_count(p, &e), 0);
        }
    }
    return p;
}

static char *save(struct profile *p, const char *name, size_t *ret_len)
{
    const struct format *f = format_named(name);
    struct sink sink;
    int fd = testfile_temp();
    assert_int_equal(sink_init(&sink, fd), 0);
    struct writer_out o = {.writer = f->writer, .profile = p, .sink = &sink};
    assert_int_equal(writer_begin(&o), 0);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        const struct sums *sums = profile_sums(p, kind);
        for (uint32_t i = 1; f->writer->kinds >> kind & 1 && i <= sums->rows.count; i++) {
            const struct sum *s = sums_at(sums, i);
            struct event e = {
                .kind = (enum kind_id)kind, .trace = s->trace, .klass = s->klass, .text = s->text};
            memcpy(e.value, s->value, kind_value_count(e.kind) * sizeof(*e.value));
            assert_int_equal(writer_event(&o, &e), 0);
        }
    }
    assert_int_equal(writer_end(&o), 0);
    assert_int_equal(sink_done(&sink), 0);
    char *bytes = testfile_contents(fd, ret_len);
    close(fd);
    return bytes;
}

static struct profile *read_back(const char *name, const char *bytes, size_t len)
{
    struct profile *p = profile_new(64 << 20);
    struct reader_error error = {0};
    if (format_read(format_named(name), bytes, len, p, &error) != 0)
        fail_msg("%s: line %d: %s", name, (int)error.line, error.detail);
    return p;
}

static const struct sum *same_sum(struct profile *p, const struct sum *of, struct profile *q,
                                  enum kind_id kind)
{
    uint32_t serial = hprof_serial_trace(p, of->trace);
    const struct sums *sums = profile_sums(q, kind);
    for (uint32_t i = 1; i <= sums->rows.count; i++) {
        const struct sum *s = sums_at(sums, i);
        if (kind == KIND_OLD_CALL || kind == KIND_HISTO ||
            kind == KIND_LIVE_HISTO) { /* their traces have no serials in the file */
            if (memcmp(s->value, of->value, 2 * sizeof(*s->value)) == 0)
                return s;
        } else if (hprof_serial_trace(q, s->trace) == serial) {
            return s;
        }
    }
    fail_msg("no row of kind %d for trace %u", kind, serial);
    return NULL;
}

static void expect_same(struct profile *p, struct profile *q, uint32_t kinds)
{
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        const struct sums *wanted = profile_sums(p, kind);
        if (!(kinds >> kind & 1))
            continue;
        assert_int_equal(profile_sums(q, kind)->rows.count, wanted->rows.count);
        for (uint32_t i = 1; i <= wanted->rows.count; i++) {
            const struct sum *of = sums_at(wanted, i), *s = same_sum(p, of, q, kind);
            assert_memory_equal(s->value, of->value, kind_value_count(kind) * sizeof(*s->value));
            assert_int_equal(profile_trace_at(q, s->trace)->depth,
                             profile_trace_at(p, of->trace)->depth);
        }
        assert_int_equal(sums_whole(profile_sums(q, kind)), sums_whole(wanted));
    }
}

static void what_is_saved_as_text_comes_back_to_the_last_digit(void **state)
{
    (void)state;
    size_t len, again_len;
    struct profile *p = make_profile();
    char *bytes = save(p, "hprof-text", &len);
    struct profile *q = read_back("hprof-text", bytes, len);
    expect_same(p, q, KIND_SET_ALL);
    char *again = save(q, "hprof-text", &again_len);
    struct profile *r = read_back("hprof-text", again, again_len);
    expect_same(p, r, KIND_SET_ALL);
    free(bytes);
    free(again);
    profile_free(p);
    profile_free(q);
    profile_free(r);
}

/* Samples have 32 bits there; sites have the rest of their numbers beside the table. */
static void what_is_saved_as_binary_comes_back(void **state)
{
    (void)state;
    size_t len;
    struct profile *p = make_profile();
    char *bytes = save(p, "hprof-binary", &len);
    struct profile *q = read_back("hprof-binary", bytes, len);
    expect_same(p, q, 1 << KIND_SITE);
    assert_int_equal(profile_sums(q, KIND_SAMPLE)->rows.count, TRACES);
    assert_false(profile_sums(q, KIND_CALL)->is_measured);
    free(bytes);
    profile_free(p);
    profile_free(q);
}

static void exact_times_without_their_table_count_for_no_other(void **state)
{
    (void)state;
    static const char text[] = "JAVA PROFILE 1.0.1, created x\n\n--------\n"
                               "EXACT CPU TIME (ns) BEGIN (total = 7400000)\n"
                               "   1 7000000\n"
                               "EXACT CPU TIME (ns) END\n"
                               "CPU TIME (ms) BEGIN (total = 100) x\n"
                               "rank   self  accum   count trace method\n"
                               "   1 50.00% 50.00%       3 300001 a.b\n"
                               "CPU TIME (ms) END\n";
    struct profile *p = read_back("hprof-text", text, sizeof(text) - 1);
    assert_int_equal(profile_sums(p, KIND_CALL)->total[0], 50 * NS_PER_MS);
    profile_free(p);
}

static void a_file_of_exact_times_may_be_cut_anywhere(void **state)
{
    (void)state;
    size_t len;
    struct profile *p = make_profile();
    char *bytes = save(p, "hprof-text", &len);
    char *exact = strstr(bytes, "EXACT CPU TIME");
    for (size_t cut = (size_t)(exact - bytes); cut < (size_t)(exact - bytes) + 2000; cut += 3) {
        struct profile *q = profile_new(8 << 20);
        struct reader_error error = {0};
        format_read(format_named("hprof-text"), bytes, cut, q, &error);
        assert_true(error.offset <= cut);
        profile_free(q);
    }
    free(bytes);
    profile_free(p);
}

static void monitors_of_a_dump_are_written_again(void **state)
{
    (void)state;
    size_t len, again_len;
    char *text = testfile_read("hprof-golden/mon/java.hprof.txt", &len);
    struct profile *p = read_back("hprof-text", text, len);
    char *again = save(p, "hprof-text", &again_len);
    const char *from = strstr(text, "MONITOR DUMP BEGIN"), *to = strstr(from, "MONITOR DUMP END"),
               *copy = strstr(again, "MONITOR DUMP BEGIN");
    assert_non_null(copy);
    assert_memory_equal(copy, from, (size_t)(to - from));
    free(text);
    free(again);
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_as_text_comes_back_to_the_last_digit),
        cmocka_unit_test(what_is_saved_as_binary_comes_back),
        cmocka_unit_test(exact_times_without_their_table_count_for_no_other),
        cmocka_unit_test(a_file_of_exact_times_may_be_cut_anywhere),
        cmocka_unit_test(monitors_of_a_dump_are_written_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
