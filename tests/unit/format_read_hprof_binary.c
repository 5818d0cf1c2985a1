/* format_read_hprof_binary.c - the binary reader. SPDX-License-Identifier: Apache-2.0 */
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

static int read_bytes(const char *bytes, size_t len, struct profile *p, struct reader_error *error)
{
    *error = (struct reader_error){0};
    return format_read(format_named("hprof-binary"), bytes, len, p, error);
}

/* A recording of the original, read; profile_free() it. */
static struct profile *recording(const char *name)
{
    size_t len;
    struct reader_error error;
    char *bytes = testfile_read(name, &len);
    struct profile *p = profile_new(16 << 20);
    assert_int_equal(read_bytes(bytes, len, p, &error), 0);
    free(bytes);
    return p;
}

static uint64_t ticks_of(struct profile *p, uint32_t serial)
{
    return samples_of(p, serials_trace(p, serial));
}

static void a_recording_of_the_original_is_read(void **state)
{
    (void)state;
    struct profile *p = recording("hprof-golden/bin_samples/java.hprof");
    assert_int_equal(samples_all(p), 41);
    assert_int_equal(ticks_of(p, 300078), 38);
    assert_int_equal(ticks_of(p, 300035), 1);
    assert_int_equal(ticks_of(p, 300079), 1);
    const struct profile_trace *t = profile_trace_at(p, serials_trace(p, 300035));
    assert_int_equal(t->depth, 4);
    assert_string_equal(profiletext_frame(p, t->frames[0]),
                        "java.lang.Object getClass ()Ljava/lang/Class; Object.java -1");
    assert_string_equal(profiletext_frame(p, t->frames[1]),
                        "java.net.URL isBuiltinStreamHandler (Ljava/net/URLStreamHandler;)Z "
                        "URL.java 1452");
    assert_int_equal(profile_thread_count(p), 2);
    const struct profile_thread *main_thread =
        profile_thread_at(p, profile_thread_by_serial(p, 200001));
    assert_string_equal(profiletext_string(p, main_thread->name), "main");
    assert_string_equal(profiletext_string(p, main_thread->parent_group), "system");
    assert_int_equal(main_thread->ended, 1);
    profile_free(p);
}

static void heap_dumps_are_passed_over(void **state)
{
    (void)state;
    struct profile *p = recording("hprof-golden/bin_samples_heap/java.hprof.gz");
    assert_int_equal(samples_all(p), 27);
    assert_int_equal(ticks_of(p, 300451), 21);
    assert_int_equal(profile_class_count(p), 487);
    assert_int_equal(profile_trace_count(p), 461);
    profile_free(p);
}

/* Bytes for a hand-made file. */
static void utf8(struct sink *s, unsigned id_bytes, uint64_t id, const char *text)
{
    sink_u1(s, 0x01);
    sink_u4(s, 0);
    sink_u4(s, (uint32_t)(id_bytes + strlen(text)));
    if (id_bytes == 8)
        sink_u8(s, id);
    else
        sink_u4(s, (uint32_t)id);
    sink_text(s, text);
}

static void identifiers_of_eight_bytes_and_names_with_slashes_are_read(void **state)
{
    (void)state;
    int fd = testfile_temp();
    struct sink s;
    sink_init(&s, fd);
    sink_bytes(&s, "JAVA PROFILE 1.0.2", 19);
    sink_u4(&s, 8);
    sink_u8(&s, 0);
    utf8(&s, 8, 0x7f0000000001, "java/util/Map");
    utf8(&s, 8, 0x8f0000000001, "get"); /* the low halves are equal */
    sink_u1(&s, 0x99);                  /* a tag that nobody knows */
    sink_u4(&s, 0);
    sink_u4(&s, 3);
    sink_bytes(&s, "abc", 3);
    sink_u1(&s, 0x02);
    sink_u4(&s, 0);
    sink_u4(&s, 4 + 8 + 4 + 8);
    sink_u4(&s, 1);
    sink_u8(&s, 0x1000);
    sink_u4(&s, 0);
    sink_u8(&s, 0x7f0000000001);
    sink_u1(&s, 0x04);
    sink_u4(&s, 0);
    sink_u4(&s, 4 * 8 + 8);
    sink_u8(&s, 5);
    sink_u8(&s, 0x8f0000000001);
    sink_u8(&s, 0);
    sink_u8(&s, 0);
    sink_u4(&s, 1);
    sink_u4(&s, (uint32_t)-3);
    sink_u1(&s, 0x05);
    sink_u4(&s, 0);
    sink_u4(&s, 12 + 2 * 8);
    sink_u4(&s, 1);
    sink_u4(&s, 9);
    sink_u4(&s, 2);
    sink_u8(&s, 5);
    sink_u8(&s, 6); /* never defined: left out */
    assert_int_equal(sink_done(&s), 0);
    size_t len;
    char *bytes = testfile_contents(fd, &len);
    struct reader_error error;
    struct profile *p = profile_new(1 << 20);
    assert_int_equal(read_bytes(bytes, len, p, &error), 0);
    const struct profile_trace *t = profile_trace_at(p, serials_trace(p, 1));
    assert_int_equal(t->depth, 1);
    assert_string_equal(profiletext_frame(p, t->frames[0]), "java.util.Map get  -1");
    assert_int_equal(profile_thread_at(p, t->thread)->serial, 9);
    profile_free(p);
    free(bytes);
    close(fd);
}

/* One row a damage: what follows the header, and the offset behind the header where it is found. */
static void damage_is_named_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        int code;
        uint64_t offset;
    } rows[] = {
        {"\1\0\0", 3, E_TRUNCATED, 0},
        {"\1\0\0\0\0\xff\xff\xff\xff....", 13, E_TRUNCATED, 0},
        {"\1\0\0\0\0\0\0\0\2ab", 11, E_FORMAT, 9},
        /* a trace of 2^32-1 frames in 16 bytes; a table of as many rows */
        {"\5\0\0\0\0\0\0\0\x10\0\0\0\1\0\0\0\0\xff\xff\xff\xff....", 25, E_FORMAT, 21},
        {"\x0d\0\0\0\0\0\0\0\x10\0\0\0\1\xff\xff\xff\xff........", 25, E_FORMAT, 17},
        {"\1\0\0\0\0\0\0\0\5\0\0\0\1a\4\0\0\0\0\0\0\0\4abcd", 27, E_FORMAT, 27},
    };
    static const char head[] = "JAVA PROFILE 1.0.1\0\0\0\0\4\0\0\0\0\0\0\0";
    size_t head_len = sizeof(head); /* the last byte of the time is the string's NUL */
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char *bytes = malloc(head_len + rows[i].len); /* exact, so that ASan sees a byte too much */
        memcpy(bytes, head, head_len);
        memcpy(bytes + head_len, rows[i].bytes, rows[i].len);
        struct reader_error error;
        struct profile *p = profile_new(1 << 20);
        int code = read_bytes(bytes, head_len + rows[i].len, p, &error);
        if (code != rows[i].code || error.code != code || error.offset != head_len + rows[i].offset)
            fail_msg("row %d: code %d, offset %d behind the header", (int)i, code,
                     (int)(error.offset - head_len));
        profile_free(p);
        free(bytes);
    }
}

static void a_wrong_header_is_refused(void **state)
{
    (void)state;
    struct reader_error error;
    struct profile *p = profile_new(1 << 20);
    static const char odd_ids[] = "JAVA PROFILE 1.0.1\0\0\0\0\3\0\0\0\0\0\0\0\0";
    assert_int_equal(read_bytes(odd_ids, sizeof(odd_ids), p, &error), E_FORMAT);
    assert_int_equal(read_bytes("JAVA PROFILE 1.0.1", 19, p, &error), E_TRUNCATED);
    assert_int_equal(read_bytes("JAVA PROFILE 1.0.9", 19, p, &error), E_FORMAT);
    assert_int_equal(read_bytes("", 0, p, &error), E_FORMAT);
    profile_free(p);
}

static void a_file_cut_anywhere_keeps_what_came_before(void **state)
{
    (void)state;
    size_t len;
    struct reader_error error;
    char *bytes = testfile_read("hprof-golden/bin_samples/java.hprof", &len);
    struct profile *p = profile_new(16 << 20);
    assert_int_equal(read_bytes(bytes, len - 1, p, &error), E_TRUNCATED);
    assert_int_equal(error.offset, len - 9 - 40); /* where the CPU SAMPLES record begins */
    assert_int_equal(samples_all(p), 0);
    assert_int_not_equal(serials_trace(p, 300079), 0);
    free(bytes);
    profile_free(p);
}

static void what_the_writer_wrote_is_read_with_its_quality_counts(void **state)
{
    (void)state;
    size_t len;
    struct reader_error error;
    struct profile *p = recording("hprof-golden/bin_samples/java.hprof");
    struct sink s;
    int fd = testfile_temp();
    sink_init(&s, fd);
    struct writer_out o;
    const struct hprof_out_config config = {.print_lines = 1, .large_heap = 1, .cpu_samples = 1};
    hprofout_open(&o, &hprof_bin_out, &s, p, &config);
    profile_set_quality(p, "samples", 41);
    profile_set_quality(p, "lost", 2);
    writer_begin(&o);
    writer_thread(&o, profile_thread_by_serial(p, 200001), true);
    hprofout_samples(&o, 0);
    writer_quality(&o);
    assert_int_equal(sink_done(&s), 0);
    writer_end(&o);
    char *bytes = testfile_contents(fd, &len);
    struct profile *q = profile_new(16 << 20);
    assert_int_equal(read_bytes(bytes, len, q, &error), 0);
    assert_int_equal(samples_all(q), 41);
    assert_int_equal(profile_thread_count(q), 1);
    static const uint32_t serials[] = {300078, 300035, 300077, 300079};
    for (size_t i = 0; i < sizeof(serials) / sizeof(*serials); i++) {
        const struct profile_trace *a = profile_trace_at(p, serials_trace(p, serials[i]));
        const struct profile_trace *b = profile_trace_at(q, serials_trace(q, serials[i]));
        assert_int_equal(ticks_of(p, serials[i]), ticks_of(q, serials[i]));
        assert_int_equal(a->depth, b->depth);
        for (uint32_t k = 0; k < a->depth; k++) {
            char text[512];
            snprintf(text, sizeof(text), "%s", profiletext_frame(p, a->frames[k]));
            assert_string_equal(text, profiletext_frame(q, b->frames[k]));
        }
    }
    uint32_t count;
    const struct profile_quality *rows = profile_quality(q, &count);
    assert_int_equal(count, 2);
    assert_string_equal(rows[0].name, "samples");
    assert_int_equal(rows[0].count, 41);
    assert_string_equal(rows[1].name, "lost");
    assert_int_equal(rows[1].count, 2);
    free(bytes);
    close(fd);
    profile_free(p);
    profile_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_of_the_original_is_read),
        cmocka_unit_test(heap_dumps_are_passed_over),
        cmocka_unit_test(identifiers_of_eight_bytes_and_names_with_slashes_are_read),
        cmocka_unit_test(damage_is_named_with_its_place),
        cmocka_unit_test(a_wrong_header_is_refused),
        cmocka_unit_test(a_file_cut_anywhere_keeps_what_came_before),
        cmocka_unit_test(what_the_writer_wrote_is_read_with_its_quality_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
