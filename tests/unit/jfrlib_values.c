/* jfrlib_values.c - what libhprofjfr says of types, fields, values, threads and stacks.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"
#include "jfrlib_reading.h"

static unsigned char *bytes;
static size_t len;

static int read_small(void **state)
{
    (void)state;
    bytes = jfrlib_reading_bytes("small.jfr", &len);
    return 0;
}

static int free_small(void **state)
{
    (void)state;
    free(bytes);
    return 0;
}

static void a_chunk_has_types_without_its_events(void **state)
{
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    struct hprof_jfr_chunk chunk;
    (void)state;
    assert_int_equal(hprof_jfr_type_count(jfr), 0);
    assert_int_equal(hprof_jfr_get_chunk(jfr, &chunk), HPROF_JFR_NO_VALUE);
    for (int i = 0; i < CHUNKS; i++) {
        assert_int_equal(hprof_jfr_next_chunk(jfr), HPROF_JFR_CHUNK);
        assert_int_equal(hprof_jfr_get_chunk(jfr, &chunk), HPROF_JFR_OK);
        assert_int_equal(chunk.major, 2);
        assert_int_equal(chunk.minor, i == 0);
        assert_true(chunk.is_finished);
        assert_int_equal(chunk.is_last, i == 0);
        assert_int_equal(chunk.duration_ns, 1000000);
        assert_true(chunk.ticks_per_second == 1e9);
        assert_int_equal(chunk.gmt_offset_ms, 3600000);
        assert_int_equal(hprof_jfr_type_count(jfr), 3);
        assert_string_equal(hprof_jfr_type_name(hprof_jfr_type_at(jfr, 1)), "jdk.ExecutionSample");
        assert_null(hprof_jfr_type_at(jfr, 3));
    }
    assert_int_equal(chunk.offset + chunk.size, len);
    assert_int_equal(hprof_jfr_next_chunk(jfr), HPROF_JFR_END);
    assert_int_equal(hprof_jfr_next_chunk(jfr), HPROF_JFR_END);
    assert_null(hprof_jfr_type_at(jfr, 0));
    hprof_jfr_close(jfr);
}

static void a_type_has_a_label_a_category_and_fields(void **state)
{
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    (void)state;
    assert_int_equal(hprof_jfr_next_chunk(jfr), HPROF_JFR_CHUNK);
    const struct hprof_jfr_type *type = hprof_jfr_type_find(jfr, "test.Everything");
    assert_true(hprof_jfr_type_is_event(type) && hprof_jfr_type_id(type) > 1);
    assert_string_equal(hprof_jfr_type_label(type), "Everything");
    assert_string_equal(hprof_jfr_type_annotation(type, "jdk.jfr.Label", "value"), "Everything");
    assert_null(hprof_jfr_type_annotation(type, "jdk.jfr.Description", "value"));
    assert_string_equal(hprof_jfr_type_category(type, 0), "Test");
    assert_string_equal(hprof_jfr_type_category(type, 1), "All of it");
    assert_null(hprof_jfr_type_category(type, 2));
    assert_int_equal(hprof_jfr_type_field_count(type), 15);
    assert_string_equal(hprof_jfr_field_name(hprof_jfr_type_field(type, 0)), "startTime");
    assert_null(hprof_jfr_type_field(type, 15));
    assert_null(hprof_jfr_type_field_named(type, "nothing"));
    assert_null(hprof_jfr_type_find(jfr, "test.Nothing"));
    assert_false(hprof_jfr_type_is_event(hprof_jfr_type_find(jfr, "java.lang.Thread")));
    hprof_jfr_close(jfr);
}

static void a_field_says_what_its_number_means(void **state)
{
    static const struct {
        const char *name, *type;
        enum hprof_jfr_content content;
    } rows[] = {
        {"startTime", "long", HPROF_JFR_TIME},
        {"duration", "long", HPROF_JFR_SPAN},
        {"eventThread", "java.lang.Thread", HPROF_JFR_PLAIN},
        {"b", "byte", HPROF_JFR_PLAIN},
        {"l", "long", HPROF_JFR_BYTES},
        {"text", "java.lang.String", HPROF_JFR_PLAIN},
        {"numbers", "int", HPROF_JFR_PLAIN},
    };
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    (void)state;
    assert_int_equal(hprof_jfr_next_chunk(jfr), HPROF_JFR_CHUNK);
    const struct hprof_jfr_type *type = hprof_jfr_type_find(jfr, "test.Everything");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct hprof_jfr_field *field = hprof_jfr_type_field_named(type, rows[i].name);
        assert_string_equal(hprof_jfr_field_type_name(field), rows[i].type);
        assert_int_equal(hprof_jfr_field_content(field), rows[i].content);
        assert_int_equal(hprof_jfr_field_is_array(field), strcmp(rows[i].name, "numbers") == 0);
        assert_int_equal(hprof_jfr_field_is_unsigned(field), strcmp(rows[i].name, "b") == 0);
        assert_null(hprof_jfr_field_label(field));
    }
    const struct hprof_jfr_field *bytes_field = hprof_jfr_type_field_named(type, "l");
    assert_string_equal(hprof_jfr_field_annotation(bytes_field, "jdk.jfr.DataAmount", "value"),
                        "BYTES");
    const struct hprof_jfr_type *thread =
        hprof_jfr_field_type(hprof_jfr_type_field_named(type, "eventThread"));
    assert_non_null(hprof_jfr_type_field_named(thread, "javaName"));
    hprof_jfr_close(jfr);
}

static void an_event_has_a_time_and_a_place_in_the_file(void **state)
{
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    const struct hprof_jfr_event *event = jfrlib_reading_next(jfr, "test.Everything");
    int64_t ns;
    (void)state;
    assert_true(hprof_jfr_event_start_ns(event) == INT64_C(1700000000000005000));
    assert_int_equal(hprof_jfr_event_duration_ns(event), 5);
    assert_int_equal(hprof_jfr_event_ns(event, "duration", &ns), HPROF_JFR_OK);
    assert_int_equal(ns, 5);
    assert_int_equal(hprof_jfr_event_ns(event, "i", &ns), HPROF_JFR_KIND);
    assert_true(ns == INT64_MIN);
    uint64_t end = hprof_jfr_event_offset(event) + hprof_jfr_event_size(event);
    assert_true(hprof_jfr_event_size(event) > 40);
    event = jfrlib_reading_next(jfr, "test.Everything");
    assert_int_equal(hprof_jfr_event_offset(event), end);
    event = jfrlib_reading_next(jfr, "test.Small");
    assert_int_equal(hprof_jfr_event_duration_ns(event), 0);
    hprof_jfr_close(jfr);
}

static void spans_without_an_end_are_said(void **state)
{
    static const int64_t expected[] = {5, INT64_MIN, INT64_MAX, INT64_MIN};
    size_t size;
    unsigned char *spans = jfrlib_reading_bytes("spans.jfr", &size);
    struct hprof_jfr *jfr = jfrlib_reading_open(spans, size, NULL);
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_true(hprof_jfr_event_duration_ns(jfrlib_reading_next(jfr, "test.Everything")) ==
                    expected[i]);
    hprof_jfr_close(jfr);
    free(spans);
}

static void fields_have_the_kind_and_sign_of_their_type(void **state)
{
    static const struct {
        const char *path;
        enum hprof_jfr_kind kind;
        int64_t integer;
        size_t count;
    } rows[] = {
        {"z", HPROF_JFR_BOOLEAN, 0, 0},
        {"b", HPROF_JFR_INTEGER, 255, 0}, /* unsigned */
        {"c", HPROF_JFR_INTEGER, 'A', 0},
        {"s", HPROF_JFR_INTEGER, 0, 0},
        {"i", HPROF_JFR_INTEGER, -1, 0},
        {"l", HPROF_JFR_INTEGER, -(INT64_C(1) << 40), 0},
        {"f", HPROF_JFR_DOUBLE, 0, 0},
        {"text", HPROF_JFR_NULL, 0, 0},
        {"klass", HPROF_JFR_NULL, 0, 0},
        {"klass.name", HPROF_JFR_NULL, 0, 0},
        {"numbers", HPROF_JFR_ARRAY, 0, 3},
        {"eventThread", HPROF_JFR_STRUCT, 0, 4},
        {"eventThread.javaThreadId", HPROF_JFR_INTEGER, 1, 0},
        {"eventThread.osName", HPROF_JFR_STRING, 0, 4},
        {"stackTrace.frames", HPROF_JFR_ARRAY, 0, 2},
        {"", HPROF_JFR_STRUCT, 0, 15},
    };
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    const struct hprof_jfr_event *event = jfrlib_reading_next(jfr, "test.Everything");
    struct hprof_jfr_value value;
    double real;
    bool is_true = true;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(hprof_jfr_event_value(event, rows[i].path, &value), HPROF_JFR_OK);
        assert_int_equal(value.kind, rows[i].kind);
        assert_true(value.integer == rows[i].integer);
        assert_int_equal(value.count, rows[i].count);
    }
    assert_int_equal(hprof_jfr_event_double(event, "d", &real), HPROF_JFR_OK);
    assert_true(real == -1e300);
    assert_int_equal(hprof_jfr_event_double(event, "i", &real), HPROF_JFR_OK);
    assert_true(real == -1);
    assert_int_equal(hprof_jfr_event_boolean(event, "z", &is_true), HPROF_JFR_OK);
    assert_false(is_true);
    hprof_jfr_close(jfr);
}

static void what_is_not_there_has_a_code_of_its_own(void **state)
{
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    const struct hprof_jfr_event *event = jfrlib_reading_next(jfr, "test.Everything");
    const char *text = "something";
    struct hprof_jfr_value value, part;
    int64_t number = 7;
    (void)state;
    assert_int_equal(hprof_jfr_event_integer(event, "nothing", &number), HPROF_JFR_NO_FIELD);
    assert_int_equal(number, 0);
    assert_int_equal(hprof_jfr_event_integer(event, "d", &number), HPROF_JFR_KIND);
    assert_int_equal(hprof_jfr_event_integer(event, "numbers.length", &number), HPROF_JFR_NO_FIELD);
    assert_int_equal(hprof_jfr_event_string(event, "text", &text), HPROF_JFR_NO_VALUE);
    assert_null(text);
    assert_int_equal(hprof_jfr_event_class_name(event, "eventThread", &text), HPROF_JFR_KIND);
    assert_int_equal(hprof_jfr_event_class_name(event, "klass", &text), HPROF_JFR_NO_VALUE);
    assert_int_equal(hprof_jfr_event_value(event, "i", &value), HPROF_JFR_OK);
    assert_int_equal(hprof_jfr_value_field(&value, 0, &part), HPROF_JFR_KIND);
    assert_int_equal(hprof_jfr_value_named(&value, "x", &part), HPROF_JFR_KIND);
    assert_int_equal(hprof_jfr_value_element(&value, 0, &part), HPROF_JFR_KIND);
    assert_int_equal(hprof_jfr_event_value(event, "eventThread", &value), HPROF_JFR_OK);
    assert_int_equal(hprof_jfr_value_field(&value, 4, &part), HPROF_JFR_NO_FIELD);
    assert_int_equal(part.kind, HPROF_JFR_NULL);
    assert_int_equal(hprof_jfr_value_named(&value, "x", &part), HPROF_JFR_NO_FIELD);
    hprof_jfr_close(jfr);
}

static void elements_come_in_any_order(void **state)
{
    static const struct {
        size_t at;
        int64_t number;
    } rows[] = {{0, 1}, {2, -3}, {1, 200}, {1, 200}, {0, 1}};
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    const struct hprof_jfr_event *event = jfrlib_reading_next(jfr, "test.Everything");
    struct hprof_jfr_value array, element;
    (void)state;
    assert_int_equal(hprof_jfr_event_value(event, "numbers", &array), HPROF_JFR_OK);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(hprof_jfr_value_element(&array, rows[i].at, &element), HPROF_JFR_OK);
        assert_int_equal(element.integer, rows[i].number);
    }
    assert_int_equal(hprof_jfr_value_element(&array, 3, &element), HPROF_JFR_NO_VALUE);
    assert_int_equal(element.kind, HPROF_JFR_NULL);
    hprof_jfr_close(jfr);
}

static void texts_of_each_encoding_are_utf8(void **state)
{
    static const char *const expected[TEXTS] = {
        NULL, "", "plain", "\xf0\x9f\x98\x80 and \xe4\xb8\xad", "\xc3\xa4", "a text of the pool",
        NULL};
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    (void)state;
    for (int i = 0; i < TEXTS; i++) {
        const struct hprof_jfr_event *event = jfrlib_reading_next(jfr, "test.Everything");
        const char *text, *name;
        assert_int_equal(hprof_jfr_event_string(event, "text", &text),
                         expected[i] ? HPROF_JFR_OK : HPROF_JFR_NO_VALUE);
        int code = hprof_jfr_event_class_name(event, "klass", &name);
        assert_int_equal(code, i % 2 ? HPROF_JFR_OK : HPROF_JFR_NO_VALUE);
        if (expected[i])
            assert_string_equal(text, expected[i]);
        if (code == HPROF_JFR_OK)
            assert_string_equal(name, "test.Work");
    }
    hprof_jfr_close(jfr);
}

static void a_sample_has_a_thread_and_a_stack(void **state)
{
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    const struct hprof_jfr_event *event = jfrlib_reading_next(jfr, "jdk.ExecutionSample");
    struct hprof_jfr_thread thread;
    struct hprof_jfr_stack stack;
    struct hprof_jfr_frame frame;
    (void)state;
    assert_int_equal(hprof_jfr_event_thread(event, &thread), HPROF_JFR_OK);
    assert_string_equal(thread.java_name, "main");
    assert_string_equal(thread.os_name, "main");
    assert_null(thread.group);
    assert_int_equal(thread.os_id, 4711);
    assert_int_equal(thread.java_id, 1);
    assert_false(thread.is_virtual);
    assert_int_equal(hprof_jfr_event_stack(event, &stack), HPROF_JFR_OK);
    assert_int_equal(stack.frame_count, 2);
    assert_false(stack.is_truncated);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(hprof_jfr_stack_frame(&stack, 1, &frame), HPROF_JFR_OK);
        assert_string_equal(frame.method_name, "main");
        assert_int_equal(frame.line, 40);
        assert_int_equal(frame.kind, HPROF_JFR_FRAME_INTERPRETED);
        assert_int_equal(hprof_jfr_stack_frame(&stack, 0, &frame), HPROF_JFR_OK);
        assert_string_equal(frame.class_name, "test.Work");
        assert_string_equal(frame.method_name, "run");
        assert_string_equal(frame.signature, "()V");
        assert_int_equal(frame.line, 12);
        assert_int_equal(frame.bytecode_index, 3);
        assert_int_equal(frame.kind, HPROF_JFR_FRAME_JIT);
    }
    assert_int_equal(hprof_jfr_stack_frame(&stack, 2, &frame), HPROF_JFR_NO_VALUE);
    event = jfrlib_reading_next(jfr, "jdk.ExecutionSample");
    assert_int_equal(hprof_jfr_event_stack(event, &stack), HPROF_JFR_OK);
    assert_int_equal(stack.frame_count, 1);
    assert_true(stack.is_truncated);
    event = jfrlib_reading_next(jfr, "test.Small");
    assert_int_equal(hprof_jfr_event_stack(event, &stack), HPROF_JFR_NO_FIELD);
    assert_int_equal(hprof_jfr_event_thread(event, &thread), HPROF_JFR_NO_FIELD);
    hprof_jfr_close(jfr);
}

static void functions_of_c_and_of_the_kernel_are_told_apart(void **state)
{
    static const struct {
        const char *klass, *method;
        enum hprof_jfr_frame_kind kind;
    } rows[] = {
        {NULL, "vfs_write", HPROF_JFR_FRAME_KERNEL},
        {"libc.so.6", "write", HPROF_JFR_FRAME_C},
        {"test.Work", "run", HPROF_JFR_FRAME_JIT},
        {"test.Work", "main", HPROF_JFR_FRAME_INTERPRETED},
    };
    size_t size;
    unsigned char *jvm = jfrlib_reading_bytes("jvm.jfr", &size);
    struct hprof_jfr *jfr = jfrlib_reading_open(jvm, size, NULL);
    const struct hprof_jfr_event *event;
    struct hprof_jfr_stack stack;
    struct hprof_jfr_frame frame;
    (void)state;
    do {
        event = jfrlib_reading_next(jfr, "jdk.CPUTimeSample");
        assert_int_equal(hprof_jfr_event_stack(event, &stack), HPROF_JFR_OK);
    } while (stack.frame_count != 4);
    for (size_t i = 0; i < stack.frame_count; i++) {
        assert_int_equal(hprof_jfr_stack_frame(&stack, i, &frame), HPROF_JFR_OK);
        assert_int_equal(frame.kind, rows[i].kind);
        assert_string_equal(frame.method_name, rows[i].method);
        if (rows[i].klass)
            assert_string_equal(frame.class_name, rows[i].klass);
        else
            assert_null(frame.class_name);
    }
    hprof_jfr_close(jfr);
    free(jvm);
}

static void a_value_knows_its_thread_and_stack(void **state)
{
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    const struct hprof_jfr_event *event = jfrlib_reading_next(jfr, "test.Everything");
    struct hprof_jfr_value value;
    struct hprof_jfr_thread thread;
    struct hprof_jfr_stack stack;
    (void)state;
    assert_int_equal(hprof_jfr_event_value(event, "eventThread", &value), HPROF_JFR_OK);
    assert_int_equal(hprof_jfr_value_thread(&value, &thread), HPROF_JFR_OK);
    assert_int_equal(thread.os_id, 4711);
    assert_int_equal(hprof_jfr_value_stack(&value, &stack), HPROF_JFR_KIND);
    assert_int_equal(hprof_jfr_event_value(event, "stackTrace", &value), HPROF_JFR_OK);
    assert_int_equal(hprof_jfr_value_stack(&value, &stack), HPROF_JFR_OK);
    assert_int_equal(stack.frame_count, 2);
    assert_int_equal(hprof_jfr_value_thread(&value, &thread), HPROF_JFR_KIND);
    assert_int_equal(hprof_jfr_event_value(event, "klass", &value), HPROF_JFR_OK);
    assert_int_equal(hprof_jfr_value_thread(&value, &thread), HPROF_JFR_NO_VALUE);
    hprof_jfr_close(jfr);
}

static void a_value_of_an_earlier_event_is_stale(void **state)
{
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    const struct hprof_jfr_event *event = jfrlib_reading_next(jfr, "test.Everything");
    struct hprof_jfr_value array, value, part;
    struct hprof_jfr_stack stack;
    struct hprof_jfr_frame frame;
    struct hprof_jfr_thread thread;
    const char *name;
    int64_t ns;
    (void)state;
    assert_int_equal(hprof_jfr_event_value(event, "numbers", &array), HPROF_JFR_OK);
    assert_int_equal(hprof_jfr_event_value(event, "eventThread", &value), HPROF_JFR_OK);
    assert_int_equal(hprof_jfr_event_stack(event, &stack), HPROF_JFR_OK);
    assert_int_equal(hprof_jfr_next(jfr, &event), HPROF_JFR_EVENT);
    assert_int_equal(hprof_jfr_value_element(&array, 0, &part), HPROF_JFR_STALE);
    assert_int_equal(hprof_jfr_value_field(&value, 0, &part), HPROF_JFR_STALE);
    assert_int_equal(hprof_jfr_value_named(&value, "javaName", &part), HPROF_JFR_STALE);
    assert_int_equal(hprof_jfr_value_thread(&value, &thread), HPROF_JFR_STALE);
    assert_int_equal(hprof_jfr_value_class_name(&value, &name), HPROF_JFR_STALE);
    assert_int_equal(hprof_jfr_value_ns(&value, &ns), HPROF_JFR_STALE);
    assert_int_equal(hprof_jfr_stack_frame(&stack, 0, &frame), HPROF_JFR_STALE);
    hprof_jfr_close(jfr);
}

static void nothing_is_asked_of_nothing(void **state)
{
    struct hprof_jfr_value value;
    struct hprof_jfr_chunk chunk;
    struct hprof_jfr_lost lost = {.places = 1};
    const struct hprof_jfr_event *event;
    int64_t number;
    (void)state;
    assert_int_equal(hprof_jfr_next(NULL, &event), HPROF_JFR_ARGUMENT);
    assert_int_equal(hprof_jfr_next_chunk(NULL), HPROF_JFR_ARGUMENT);
    assert_int_equal(hprof_jfr_last_error(NULL)->code, HPROF_JFR_ARGUMENT);
    assert_int_equal(hprof_jfr_get_chunk(NULL, &chunk), HPROF_JFR_ARGUMENT);
    hprof_jfr_get_lost(NULL, &lost);
    assert_int_equal(lost.places, 0);
    assert_null(hprof_jfr_type_name(NULL));
    assert_null(hprof_jfr_field_type_name(hprof_jfr_type_field_named(NULL, "x")));
    assert_int_equal(hprof_jfr_event_value(NULL, "x", &value), HPROF_JFR_ARGUMENT);
    assert_int_equal(hprof_jfr_event_integer(NULL, "x", &number), HPROF_JFR_ARGUMENT);
    assert_true(hprof_jfr_event_start_ns(NULL) == INT64_MIN);
    hprof_jfr_close(NULL);
    for (int code = -100; code < 10; code++)
        assert_true(strlen(hprof_jfr_strerror(code)) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_has_types_without_its_events),
        cmocka_unit_test(a_type_has_a_label_a_category_and_fields),
        cmocka_unit_test(a_field_says_what_its_number_means),
        cmocka_unit_test(an_event_has_a_time_and_a_place_in_the_file),
        cmocka_unit_test(spans_without_an_end_are_said),
        cmocka_unit_test(fields_have_the_kind_and_sign_of_their_type),
        cmocka_unit_test(what_is_not_there_has_a_code_of_its_own),
        cmocka_unit_test(elements_come_in_any_order),
        cmocka_unit_test(texts_of_each_encoding_are_utf8),
        cmocka_unit_test(a_sample_has_a_thread_and_a_stack),
        cmocka_unit_test(functions_of_c_and_of_the_kernel_are_told_apart),
        cmocka_unit_test(a_value_knows_its_thread_and_stack),
        cmocka_unit_test(a_value_of_an_earlier_event_is_stale),
        cmocka_unit_test(nothing_is_asked_of_nothing),
    };
    return cmocka_run_group_tests(tests, read_small, free_small);
}
