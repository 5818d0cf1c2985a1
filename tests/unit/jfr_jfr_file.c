/* jfr_jfr_file.c - JFR files, whole and cut. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/feed.h"
#include "cmocka_all.h"
#include "jfr/jfr_file.h"
#include "jfr/jfr_value.h"
#include "testfile.h"

/* What tests/data/jfr/make_small.py wrote. */
enum { CHUNKS = 2, EVENTS_OF_A_CHUNK = 13, TEXTS = 7 };

static unsigned char *bytes;
static size_t len;

static int read_small(void **state)
{
    (void)state;
    bytes = (unsigned char *)testfile_read("jfr/small.jfr", &len);
    return bytes ? 0 : -1;
}

static int free_small(void **state)
{
    (void)state;
    free(bytes);
    return 0;
}

/* How many events are there that can be read; each of their fields is. */
static unsigned count_events(struct jfr_file *f)
{
    struct jfr_record record;
    unsigned count = 0;
    while (jfr_file_next_record(f, &record) > 0) {
        const struct jfr_type *type = jfr_chunk_type(&f->chunk, record.type_id);
        struct jfr_value event = jfr_value_event(type, &record), field;
        for (uint32_t i = 0; type && i < type->field_count; i++)
            jfr_value_field(&f->chunk, &event, i, &field);
        count += record.type_id > JFR_LAYOUT_CHECKPOINT;
    }
    return count;
}

/* Of the first `size` bytes, in memory of just that size. */
static unsigned events_of(size_t size, unsigned *ret_chunks, uint32_t *ret_damages)
{
    unsigned char *copy = malloc(size > 0 ? size : 1);
    struct jfr_file f;
    struct feed feed;
    unsigned count = 0;
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    feed_memory(&feed, copy, size);
    *ret_chunks = 0;
    if (jfr_file_open(&f, &feed, &(struct jfr_chunk_reading){.with_constants = true}) == 0)
        while (jfr_file_next_chunk(&f) > 0) {
            (*ret_chunks)++;
            count += count_events(&f);
        }
    *ret_damages = f.damage_count;
    jfr_file_close(&f);
    free(copy);
    return count;
}

static void a_whole_file_has_all_its_events(void **state)
{
    unsigned chunks;
    uint32_t damages;
    (void)state;
    assert_int_equal(events_of(len, &chunks, &damages), CHUNKS * EVENTS_OF_A_CHUNK);
    assert_int_equal(chunks, CHUNKS);
    assert_int_equal(damages, 0);
}

static void a_file_cut_at_any_byte_keeps_what_is_whole(void **state)
{
    unsigned before = 0, chunks;
    uint32_t damages;
    (void)state;
    for (size_t size = 0; size < len; size++) {
        unsigned count = events_of(size, &chunks, &damages);
        assert_true(count >= before && count <= CHUNKS * EVENTS_OF_A_CHUNK);
        assert_true(size < 8 || damages > 0 || count == EVENTS_OF_A_CHUNK);
        before = count;
    }
}

static void open_first(struct jfr_file *f, struct feed *feed)
{
    feed_memory(feed, bytes, len);
    assert_int_equal(jfr_file_open(f, feed, &(struct jfr_chunk_reading){.with_constants = true}),
                     0);
    assert_int_equal(jfr_file_next_chunk(f), 1);
}

static void next_of(struct jfr_file *f, const char *name, struct jfr_value *ret_event)
{
    struct jfr_record record;
    const struct jfr_type *type;
    do {
        assert_int_equal(jfr_file_next_record(f, &record), 1);
        type = jfr_chunk_type(&f->chunk, record.type_id);
    } while (!type || strcmp(type->name, name) != 0);
    *ret_event = jfr_value_event(type, &record);
}

static int64_t number(const struct jfr_file *f, const struct jfr_value *event, const char *path)
{
    struct jfr_value v;
    assert_true(jfr_value_named(&f->chunk, event, path, &v));
    return jfr_value_number(&v);
}

static const char *text(const struct jfr_file *f, const struct jfr_value *event, const char *path)
{
    static char utf8[64];
    struct jfr_value v;
    assert_true(jfr_value_named(&f->chunk, event, path, &v));
    jfr_value_utf8(&v, utf8, sizeof(utf8));
    return v.shape == JFR_TEXT ? utf8 : "null";
}

static void numbers_have_the_sign_and_size_of_their_type(void **state)
{
    struct jfr_value event, d;
    struct jfr_file f;
    struct feed feed;
    (void)state;
    open_first(&f, &feed);
    next_of(&f, "test.Everything", &event);
    assert_int_equal(number(&f, &event, "b"), -1);
    assert_int_equal(number(&f, &event, "c"), 'A');
    assert_int_equal(number(&f, &event, "i"), -1);
    assert_true(number(&f, &event, "l") == -((int64_t)1 << 40));
    assert_int_equal(number(&f, &event, "duration"), 5);
    assert_true(jfr_value_named(&f.chunk, &event, "d", &d) && d.real == -1e300);
    jfr_file_close(&f);
}

static void texts_of_each_encoding_are_utf8(void **state)
{
    static const char *const expected[TEXTS] = {
        "null", "", "plain", "\xf0\x9f\x98\x80 and \xe4\xb8\xad", "\xc3\xa4", "a text of the pool",
        "null"};
    struct jfr_value event;
    struct jfr_file f;
    struct feed feed;
    (void)state;
    open_first(&f, &feed);
    for (int i = 0; i < TEXTS; i++) {
        next_of(&f, "test.Everything", &event);
        assert_string_equal(text(&f, &event, "text"), expected[i]);
        assert_string_equal(text(&f, &event, "klass.name"), i % 2 ? "test/Work" : "null");
    }
    jfr_file_close(&f);
}

static void constants_lead_to_frames(void **state)
{
    struct jfr_value event, frames, frame;
    struct jfr_file f;
    struct feed feed;
    (void)state;
    open_first(&f, &feed);
    next_of(&f, "jdk.ExecutionSample", &event);
    assert_true(jfr_value_named(&f.chunk, &event, "stackTrace.frames", &frames));
    assert_int_equal(frames.shape, JFR_ARRAY);
    assert_int_equal(frames.count, 2);
    struct leb l = frames.at;
    jfr_value_element(&f.chunk, &frames, &l, &frame);
    assert_string_equal(text(&f, &frame, "method.name"), "run");
    assert_string_equal(text(&f, &frame, "type"), "JIT compiled");
    jfr_value_element(&f.chunk, &frames, &l, &frame);
    assert_string_equal(text(&f, &frame, "method.name"), "main");
    assert_int_equal(number(&f, &frame, "lineNumber"), 40);
    assert_string_equal(text(&f, &event, "sampledThread.javaName"), "main");
    assert_false(jfr_value_named(&f.chunk, &event, "sampledThread.nothing", &frame));
    jfr_file_close(&f);
}

static void what_is_damaged_is_passed_over_to_the_next_chunk(void **state)
{
    unsigned char *saved = malloc(len);
    unsigned chunks;
    uint32_t damages;
    (void)state;
    assert_non_null(saved);
    memcpy(saved, bytes, len);
    /* A record of no size, behind the first chunk's metadata. */
    memset(bytes + 3000, 0, 4);
    assert_true(events_of(len, &chunks, &damages) >= EVENTS_OF_A_CHUNK);
    assert_int_equal(chunks, CHUNKS);
    assert_true(damages > 0);
    memcpy(bytes, saved, len);
    free(saved);
}

/* A feed whose last bytes could not be unpacked. */
static void bytes_that_could_not_be_read_are_damage(void **state)
{
    struct jfr_file f;
    struct feed feed;
    (void)state;
    open_first(&f, &feed);
    feed.error = E_TRUNCATED;
    feed.why = "the packed data is cut off";
    while (jfr_file_next_chunk(&f) > 0)
        ;
    assert_int_equal(f.damage_count, 1);
    assert_int_equal(f.damages[0].offset, len);
    assert_string_equal(f.damages[0].what, feed.why);
    jfr_file_close(&f);
}

static void put_8(unsigned char *to, uint64_t value)
{
    for (int i = 7; i >= 0; i--, value >>= 8)
        to[i] = (unsigned char)value;
}

/* Headers in a row that all lead to the first chunk's types, and whose constants lead nowhere: the
 * first header alone is followed. */
static void what_a_broken_chunk_claims_is_parsed_once(void **state)
{
    enum { HEADERS = 3 };
    unsigned char *many = malloc(HEADERS * JFR_LAYOUT_HEADER + len);
    struct jfr_header h;
    struct jfr_file f;
    struct feed feed;
    unsigned with_types = 0;
    (void)state;
    assert_non_null(many);
    assert_int_equal(jfr_chunk_read_header(bytes, &h), 0);
    for (uint64_t i = 0; i < HEADERS; i++) {
        unsigned char *at = many + i * JFR_LAYOUT_HEADER;
        uint64_t before = (HEADERS - i) * JFR_LAYOUT_HEADER;
        memcpy(at, bytes, JFR_LAYOUT_HEADER);
        put_8(at + JFR_LAYOUT_SIZE_AT, before + h.size);
        put_8(at + JFR_LAYOUT_METADATA_AT, before + h.metadata);
        put_8(at + JFR_LAYOUT_CHECKPOINT_AT, JFR_LAYOUT_HEADER + 1);
    }
    memcpy(many + (size_t)HEADERS * JFR_LAYOUT_HEADER, bytes, len);
    feed_memory(&feed, many, HEADERS * JFR_LAYOUT_HEADER + len);
    assert_int_equal(jfr_file_open(&f, &feed, &(struct jfr_chunk_reading){.with_constants = true}),
                     0);
    for (unsigned i = 0; i < HEADERS; i++) {
        assert_int_equal(jfr_file_next_chunk(&f), 1);
        with_types += f.chunk.has_types;
    }
    assert_int_equal(with_types, 1);
    unsigned count = 0;
    while (jfr_file_next_chunk(&f) > 0)
        count += count_events(&f);
    assert_int_equal(count, CHUNKS * EVENTS_OF_A_CHUNK);
    jfr_file_close(&f);
    free(many);
}

static void another_version_is_refused(void **state)
{
    unsigned char old[JFR_LAYOUT_HEADER] = {'F', 'L', 'R', 0, 0, 0, 0, 9};
    struct jfr_file f;
    struct feed feed;
    (void)state;
    feed_memory(&feed, old, sizeof(old));
    assert_int_equal(jfr_file_open(&f, &feed, &(struct jfr_chunk_reading){.with_constants = true}),
                     0);
    assert_int_equal(jfr_file_next_chunk(&f), E_UNSUPPORTED);
    jfr_file_close(&f);
}

/* What a JDK 9 wrote of a WebLogic server, and the same as format 2 would have it. */
static void late_ticks_of_format_1_are_no_step_of_the_wall_clock(void **state)
{
    struct jfr_header first = {.major = 1,
                               .start_ns = 1484675520624000000,
                               .duration_ns = 3633999872,
                               .start_ticks = 79156293003,
                               .ticks_per_second = 2400000000.0};
    struct jfr_header second = first;
    (void)state;
    second.start_ns = first.start_ns + first.duration_ns;
    second.start_ticks = 88224776656;
    assert_true(jfr_chunk_clock_moved_ns(&second, &first) == 0);
    second.start_ns++;
    assert_true(jfr_chunk_clock_moved_ns(&second, &first) < -144000000);
    second.start_ns--;
    second.start_ticks -= 1000000000;
    assert_true(jfr_chunk_clock_moved_ns(&second, &first) > 270000000);
    second.start_ticks += 1000000000;
    first.major = second.major = 2;
    assert_true(jfr_chunk_clock_moved_ns(&second, &first) < -144000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_file_has_all_its_events),
        cmocka_unit_test(a_file_cut_at_any_byte_keeps_what_is_whole),
        cmocka_unit_test(numbers_have_the_sign_and_size_of_their_type),
        cmocka_unit_test(texts_of_each_encoding_are_utf8),
        cmocka_unit_test(constants_lead_to_frames),
        cmocka_unit_test(what_is_damaged_is_passed_over_to_the_next_chunk),
        cmocka_unit_test(bytes_that_could_not_be_read_are_damage),
        cmocka_unit_test(what_a_broken_chunk_claims_is_parsed_once),
        cmocka_unit_test(another_version_is_refused),
        cmocka_unit_test(late_ticks_of_format_1_are_no_step_of_the_wall_clock),
    };
    return cmocka_run_group_tests(tests, read_small, free_small);
}
