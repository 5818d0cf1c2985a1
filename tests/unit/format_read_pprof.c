/* format_read_pprof.c - profile.proto, written and read back. SPDX-License-Identifier: Apache-2.0
 */
#include "format/pprof.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"
#include "format/format.h"
#include "format/pprof_stack.h"
#include "format/proto_in.h"
#include "format/proto_out.h"
#include "profile/sums.h"
#include "samples.h"
#include "writing.h"

static struct profile *read_bytes(const void *bytes, size_t len, int code)
{
    struct profile *p = profile_new(8 << 20);
    struct reader_error error = {0};
    assert_non_null(p);
    assert_int_equal(format_read(format_named("pprof"), bytes, len, p, &error), code);
    return p;
}

/* Collapsed stacks of every value of these kinds but levels, which pprof has no place for. */
static void must_be_equal(struct profile *a, struct profile *b, uint32_t kinds)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (uint32_t value = 0; value < kind_value_count(kind); value++) {
            if (!(kinds >> kind & 1) || kind_all[kind]->values[value].unit == KIND_UNIT_LEVEL)
                continue;
            struct writing x = writing_of("collapsed", a, 1u << kind, kind, value),
                           y = writing_of("collapsed", b, 1u << kind, kind, value);

            assert_string_equal(x.bytes, y.bytes);
            free(x.bytes);
            free(y.bytes);
        }
}

static void what_was_written_is_read_the_same(void **state)
{
    (void)state;
    struct profile *p = writing_example();
    struct writing w = writing_of("pprof", p, KIND_SET_ALL, KIND_SAMPLE, 0);
    struct profile *again = read_bytes(w.bytes, w.len, 0);

    /* Texts are plain in the file. */
    must_be_equal(p, again, KIND_SET_ALL & ~(1u << KIND_ENTER | 1u << KIND_GC));
    struct writing w2 = writing_of("pprof", again, KIND_SET_ALL, KIND_SAMPLE, 0);
    struct profile *third = read_bytes(w2.bytes, w2.len, 0);
    must_be_equal(again, third, KIND_SET_ALL);
    const struct profile_trace *t =
        profile_trace_at(again, sums_at(profile_sums(again, KIND_SAMPLE), 1)->trace);
    const struct profile_frame *f = profile_frame_at(again, t->frames[3]);
    const struct profile_method *m = profile_method_at(again, f->method);
    assert_int_equal(t->depth, 6);
    assert_int_equal(f->kind, FRAME_INLINED);
    assert_int_equal(f->line, 30);
    assert_string_equal(profile_string_at(again, m->descriptor)->bytes, "()V");
    assert_string_equal(profile_string_at(again, m->source)->bytes, "Server.java");
    f = profile_frame_at(again, t->frames[1]);
    m = profile_method_at(again, f->method);
    assert_string_equal(profile_string_at(again, profile_class_at(again, m->klass)->name)->bytes,
                        "libc.so.6");
    assert_string_equal(profile_string_at(again, profile_thread_at(again, t->thread)->name)->bytes,
                        "worker \"1\"");
    free(w.bytes);
    free(w2.bytes);
    profile_free(p);
    profile_free(again);
    profile_free(third);
}

/* What a field of the whole may refer to: numbers of the tables. */
struct counts {
    uint64_t mappings, locations, functions, strings, values;
};

static void count_tables(const struct writing *w, struct counts *c)
{
    struct rd whole;
    *c = (struct counts){0};
    rd_init(&whole, w->bytes, w->len);
    for (struct proto_in_field f; proto_in_next(&whole, &f);) {
        c->values += f.number == PPROF_SAMPLE_TYPE;
        c->mappings += f.number == PPROF_MAPPING;
        c->locations += f.number == PPROF_LOCATION;
        c->functions += f.number == PPROF_FUNCTION;
        c->strings += f.number == PPROF_STRING;
    }
    assert_int_equal(whole.error, 0);
}

static void check_message(const struct proto_in_field *whole, const struct counts *c);

static void check_field(uint64_t of, const struct proto_in_field *f, const struct counts *c)
{
    struct rd inner;
    if (of == PPROF_SAMPLE_TYPE || (of == PPROF_MAPPING && f->number == PPROF_MAPPING_FILE) ||
        (of == PPROF_FUNCTION && f->number != PPROF_FUNCTION_ID))
        assert_true(f->value < c->strings);
    if (of == PPROF_FUNCTION && f->number == PPROF_FUNCTION_ID)
        assert_in_range(f->value, 1, c->functions);
    if (of == PPROF_LOCATION && f->number == PPROF_LOCATION_MAPPING)
        assert_in_range(f->value, 1, c->mappings);
    rd_init(&inner, f->bytes, f->len);
    struct proto_in_field line;
    while (of == PPROF_LOCATION && f->number == PPROF_LOCATION_LINE && proto_in_next(&inner, &line))
        assert_true(line.number != PPROF_LINE_FUNCTION ||
                    (line.value > 0 && line.value <= c->functions));
    while (of == PPROF_SAMPLE && f->number == PPROF_SAMPLE_LABEL && proto_in_next(&inner, &line))
        assert_true(line.number == PPROF_NUMBER || line.value < c->strings);
}

static void check_lists(const struct proto_in_field *sample, const struct counts *c)
{
    struct proto_in_list list;
    uint64_t value, values = 0;
    proto_in_list(sample, &list);
    if (sample->number == PPROF_SAMPLE_LOCATION)
        while (proto_in_number(&list, &value))
            assert_in_range(value, 1, c->locations);
    if (sample->number == PPROF_SAMPLE_VALUE) {
        while (proto_in_number(&list, &value))
            values++;
        assert_int_equal(values, c->values);
    }
}

static void check_message(const struct proto_in_field *whole, const struct counts *c)
{
    struct rd message;
    rd_init(&message, whole->bytes, whole->len);
    for (struct proto_in_field f; whole->number < PPROF_STRING && proto_in_next(&message, &f);) {
        check_field(whole->number, &f, c);
        if (whole->number == PPROF_SAMPLE)
            check_lists(&f, c);
    }
    assert_int_equal(message.error, 0);
}

static void every_number_is_of_a_row_that_is_there(void **state)
{
    (void)state;
    struct profile *p = writing_example();
    struct writing w = writing_of("pprof", p, KIND_SET_ALL, KIND_SITE, 2);
    struct counts c;
    struct rd whole;
    bool is_first_string = true;

    count_tables(&w, &c);
    assert_true(c.values == 75 && c.locations > 4 && c.functions > 4);
    rd_init(&whole, w.bytes, w.len);
    for (struct proto_in_field f; proto_in_next(&whole, &f);) {
        if (f.number == PPROF_STRING && is_first_string)
            assert_int_equal(f.len, 0);
        is_first_string &= f.number != PPROF_STRING;
        check_message(&f, &c);
    }
    free(w.bytes);
    profile_free(p);
}

static void cut_anywhere_it_says_so_and_keeps_what_it_has(void **state)
{
    (void)state;
    struct profile *p = writing_example();
    struct writing w = writing_of("pprof", p, KIND_SET_ALL, KIND_SAMPLE, 0);

    for (size_t len = 0; len < w.len; len++) {
        struct profile *again = profile_new(8 << 20);
        struct reader_error error = {0};
        format_read(format_named("pprof"), w.bytes, len, again, &error);
        assert_true(error.offset <= len);
        profile_free(again);
    }
    free(w.bytes);
    profile_free(p);
}

/* A file of others: its tables stand before the samples, or behind them. */
static void put_foreign(struct proto_out *m, const char *type, const char *unit, int64_t period,
                        uint64_t value, const char *function, const char *file)
{
    const char *const strings[] = {"", type, unit, function, file, "/bin/program"};
    struct proto_out inner = {0}, line = {0};
    proto_out_number(&inner, PPROF_TYPE, 1);
    proto_out_number(&inner, PPROF_UNIT, 2);
    proto_out_message(m, PPROF_SAMPLE_TYPE, &inner);
    proto_out_message(m, PPROF_PERIOD_TYPE, &inner);
    proto_out_number(m, PPROF_PERIOD, (uint64_t)period);
    proto_out_clear(&inner);
    proto_out_number(&inner, PPROF_SAMPLE_LOCATION, 77); /* not packed */
    proto_out_number(&inner, PPROF_SAMPLE_VALUE, value);
    proto_out_message(m, PPROF_SAMPLE, &inner);
    proto_out_clear(&inner);
    proto_out_number(&inner, PPROF_MAPPING_ID, 5);
    proto_out_number(&inner, PPROF_MAPPING_FILE, 5);
    proto_out_message(m, PPROF_MAPPING, &inner);
    proto_out_clear(&inner);
    proto_out_number(&inner, PPROF_LOCATION_ID, 77);
    proto_out_number(&inner, PPROF_LOCATION_MAPPING, 5);
    proto_out_number(&line, PPROF_LINE_FUNCTION, 1000000000000);
    proto_out_message(&inner, PPROF_LOCATION_LINE, &line);
    proto_out_message(m, PPROF_LOCATION, &inner);
    proto_out_clear(&inner);
    proto_out_number(&inner, PPROF_FUNCTION_ID, 1000000000000);
    proto_out_number(&inner, PPROF_FUNCTION_NAME, 3);
    proto_out_number(&inner, PPROF_FUNCTION_FILE, 4);
    proto_out_message(m, PPROF_FUNCTION, &inner);
    for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
        proto_out_bytes(m, PPROF_STRING, strings[i], strlen(strings[i]));
    proto_out_done(&inner);
    proto_out_done(&line);
}

static void files_of_others_become_what_is_nearest(void **state)
{
    (void)state;
    static const struct {
        const char *type, *unit, *function, *file;
        uint64_t value, read;
        enum kind_id kind;
        enum frame_kind frame;
    } files[] = {
        {"samples", "count", "main.f", "/a/b.go", 5, 5, KIND_SAMPLE, FRAME_NATIVE},
        {"cpu", "nanoseconds", "a/b/C.d", "C.java", 95, 10, KIND_SAMPLE, FRAME_JAVA},
        {"alloc_space", "bytes", "f", "", 5, 5, KIND_SITE, FRAME_NATIVE},
        {"alloc_space", "count", "f", "", 50, 50, KIND_SAMPLE, FRAME_NATIVE},
        {"delay", "nanoseconds", "f", "", 8, 8, KIND_ENTER, FRAME_NATIVE},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        struct proto_out m = {0};
        put_foreign(&m, files[i].type, files[i].unit, 10, files[i].value, files[i].function,
                    files[i].file);
        struct profile *p = read_bytes(m.bytes, m.len, 0);
        const struct sum *s = sums_at(profile_sums(p, files[i].kind), 1);
        assert_int_equal(profile_sums(p, files[i].kind)->rows.count, 1);
        assert_int_equal(s->value[0], files[i].read);
        const struct profile_trace *t = profile_trace_at(p, s->trace);
        assert_int_equal(t->depth, 1);
        assert_int_equal(profile_frame_at(p, t->frames[0])->kind, files[i].frame);
        profile_free(p);
        proto_out_done(&m);
    }
}

/* A second location, of so many lines, and a sample of it. */
static void put_location(struct proto_out *m, int lines)
{
    struct proto_out inner = {0}, line = {0};
    proto_out_number(&inner, PPROF_LOCATION_ID, 78);
    proto_out_number(&line, PPROF_LINE_FUNCTION, 1000000000000);
    for (int i = 0; i < lines; i++)
        proto_out_message(&inner, PPROF_LOCATION_LINE, &line);
    proto_out_message(m, PPROF_LOCATION, &inner);
    proto_out_clear(&inner);
    proto_out_number(&inner, PPROF_SAMPLE_LOCATION, 78);
    proto_out_number(&inner, PPROF_SAMPLE_VALUE, 3);
    proto_out_message(m, PPROF_SAMPLE, &inner);
    proto_out_done(&inner);
    proto_out_done(&line);
}

static void a_location_has_as_many_lines_as_calls_are_inlined(void **state)
{
    (void)state;
    for (int more = 0; more <= 1; more++) {
        struct proto_out m = {0};
        put_foreign(&m, "samples", "count", 0, 5, "f", "");
        put_location(&m, PPROF_LINES_MAX + more);
        struct profile *p = read_bytes(m.bytes, m.len, more ? E_FORMAT : 0);
        assert_int_equal(profile_sums(p, KIND_SAMPLE)->total[0], more ? 5 : 8);
        profile_free(p);
        proto_out_done(&m);
    }
}

static void values_of_a_difference_are_refused(void **state)
{
    (void)state;
    struct proto_out m = {0};

    put_foreign(&m, "samples", "count", 0, (uint64_t)-5, "f", "");
    profile_free(read_bytes(m.bytes, m.len, E_FORMAT));
    proto_out_done(&m);
}

/* A sample of the file of others, of the string `name` as thread. */
static void put_named(struct proto_out *m, uint64_t name, uint64_t id)
{
    struct proto_out inner = {0}, label = {0};
    proto_out_number(&inner, PPROF_SAMPLE_LOCATION, 77);
    proto_out_number(&inner, PPROF_SAMPLE_VALUE, 1);
    proto_out_number(&label, PPROF_KEY, 6);
    proto_out_number(&label, PPROF_TEXT, name);
    proto_out_message(&inner, PPROF_SAMPLE_LABEL, &label);
    proto_out_clear(&label);
    proto_out_number(&label, PPROF_KEY, 7);
    proto_out_number(&label, PPROF_NUMBER, id);
    proto_out_message(&inner, PPROF_SAMPLE_LABEL, &label);
    proto_out_message(m, PPROF_SAMPLE, &inner);
    proto_out_done(&inner);
    proto_out_done(&label);
}

/* 0 is no number of a thread. */
static void a_name_alone_is_that_of_the_first_thread_so_called(void **state)
{
    (void)state;
    static const char *const strings[] = {PPROF_LABEL_THREAD, PPROF_LABEL_THREAD_ID, "t", "u"};
    static const struct {
        uint64_t name, id;
    } samples[] = {{8, 41}, {8, 42}, {8, 0}, {9, 0}, {9, 0}, {9, 43}, {9, 0}};
    static const uint64_t values[] = {1, 2, 1, 3, 1}; /* no thread; t of 41, t of 42, u, u of 43 */
    struct proto_out m = {0};

    put_foreign(&m, "samples", "count", 0, 1, "f", "");
    for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
        proto_out_bytes(&m, PPROF_STRING, strings[i], strlen(strings[i]));
    for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
        put_named(&m, samples[i].name, samples[i].id);
    struct profile *p = read_bytes(m.bytes, m.len, 0);
    const struct sums *sums = profile_sums(p, KIND_SAMPLE);
    assert_int_equal(profile_thread_count(p), 4);
    assert_int_equal(sums->rows.count, 5);
    for (uint32_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        assert_int_equal(sums_at(sums, i + 1)->value[0], values[i]);
    profile_free(p);
    proto_out_done(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read_the_same),
        cmocka_unit_test(every_number_is_of_a_row_that_is_there),
        cmocka_unit_test(cut_anywhere_it_says_so_and_keeps_what_it_has),
        cmocka_unit_test(files_of_others_become_what_is_nearest),
        cmocka_unit_test(a_location_has_as_many_lines_as_calls_are_inlined),
        cmocka_unit_test(values_of_a_difference_are_refused),
        cmocka_unit_test(a_name_alone_is_that_of_the_first_thread_so_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
