/* format_hprof_heap.c - the writers of heap dumps. SPDX-License-Identifier: Apache-2.0 */
#include "format/hprof_heap.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/pair.h"
#include "base/sink.h"
#include "cmocka_all.h"
#include "format/format.h"
#include "format/hprof_heap_copy.h"
#include "format/hprof_split.h"
#include "heapcheck.h"
#include "profile/profile.h"
#include "testfile.h"

/* Ids have four bytes or eight: `n` in the loops. */
enum { HEAD = 9 }; /* of a record */

/* One dump under test; what arrives is kept as far as there is room. */
struct dump {
    struct hprof_heap h;
    struct sink sink;
    unsigned char *bytes;
    size_t len, room;
    struct heapcheck_thing *things;
    size_t count;
};

/* A device with `room` bytes, which takes a write as a whole or not at all. */
static int take(void *to, const unsigned char *bytes, size_t len)
{
    struct dump *d = to;
    if (len > d->room - d->len)
        return -ENOSPC;
    memcpy(d->bytes + d->len, bytes, len);
    d->len += len;
    return 0;
}

static void open_dump(struct dump *d, const struct hprof_heap_ops *ops, uint32_t id_bytes,
                      size_t room)
{
    *d = (struct dump){.room = room, .bytes = malloc(room)};
    assert_non_null(d->bytes);
    assert_int_equal(sink_init_taker(&d->sink, take, d), 0);
    d->h = (struct hprof_heap){.ops = ops,
                               .sink = &d->sink,
                               .buffer = malloc(HPROF_HEAP_SEGMENT),
                               .buffer_bytes = HPROF_HEAP_SEGMENT,
                               .id_bytes = id_bytes,
                               .has_segments = 1,
                               .date = "today\n"};
}

static void keep_thing(void *arg, const struct heapcheck_thing *t)
{
    struct dump *d = arg;
    d->things = realloc(d->things, (d->count + 1) * sizeof(*d->things));
    d->things[d->count++] = *t;
}

static void read_back(struct dump *d)
{
    assert_int_equal(sink_flush(&d->sink), 0);
    assert_int_equal(d->h.error, 0);
    assert_int_equal(heapcheck_read(d->bytes, d->len, d->h.id_bytes, keep_thing, d), 0);
}

static void close_dump(struct dump *d)
{
    sink_done(&d->sink);
    free(d->h.buffer);
    free(d->bytes);
    free(d->things);
}

static void a_root_of_each_kind_has_its_numbers(void **state)
{
    static const struct {
        struct hprof_heap_root root;
        uint32_t number, trace; /* as the file has them */
        uint32_t ids, fours;    /* behind the tag */
    } rows[] = {
        {{.kind = HPROF_ROOT_UNKNOWN, .object = 1}, 0, 0, 1, 0},
        {{.kind = HPROF_ROOT_JNI_GLOBAL, .object = 2, .reference = 77}, 0, 0, 2, 0},
        {{.kind = HPROF_ROOT_JNI_LOCAL, .object = 3, .thread = 9, .frame = -1}, 9, -1u, 1, 2},
        {{.kind = HPROF_ROOT_JAVA_FRAME, .object = 4, .thread = 9, .frame = 5}, 9, 5, 1, 2},
        {{.kind = HPROF_ROOT_SYSTEM_CLASS, .object = 5}, 0, 0, 1, 0},
        {{.kind = HPROF_ROOT_THREAD_BLOCK, .object = 6, .thread = 9}, 9, 0, 1, 1},
        {{.kind = HPROF_ROOT_MONITOR, .object = 7}, 0, 0, 1, 0},
        {{.kind = HPROF_ROOT_THREAD, .object = 8, .thread = 9, .trace = 3}, 9, 3, 1, 2},
    };
    (void)state;
    for (uint32_t n = 4; n <= 8; n += 4) {
        struct dump d;
        size_t bytes = 0;
        open_dump(&d, &hprof_heap_bin, n, 4096);
        d.h.ops->begin(&d.h, 0, 0);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            d.h.ops->root(&d.h, &rows[i].root);
            bytes += 1 + (size_t)rows[i].ids * n + (size_t)rows[i].fours * 4;
            assert_int_equal(d.h.used, bytes);
        }
        d.h.ops->end(&d.h);
        read_back(&d);
        assert_int_equal(d.count, 1 + 8 + 1);
        for (size_t i = 0; i < 8; i++) {
            assert_int_equal(d.things[1 + i].tag, rows[i].root.kind);
            assert_int_equal(d.things[1 + i].id, rows[i].root.object);
            assert_int_equal(d.things[1 + i].klass, rows[i].root.reference);
            assert_int_equal(d.things[1 + i].number, rows[i].number);
            assert_int_equal(d.things[1 + i].trace, rows[i].trace);
        }
        assert_int_equal(d.things[9].tag, 0x12c);
        close_dump(&d);
    }
}

/* A class with a static field and an instance field of each type, and its superclass. */
static struct hprof_heap_field statics[9], fields[9], base_fields[1];
static struct hprof_heap_constant constants[2] = {{3, 0x500}, {0xffff, 0x501}};
static struct hprof_heap_class base = {
    .object = 0x10, .name = "Base", .serial = 1, .trace = 7, .fields = base_fields};
static struct hprof_heap_class klass = {
    .object = 0x20, .name = "p.C", .super = &base, .loader = 0x30, .signers = 0x31, .domain = 0x32};
static const uint64_t instance_values[] = {0xa1, 1, 0xc2c3, 0xf1f2f3f4,        0xd1d2d3d4d5d6d7d8,
                                           0xb1, 2, 0x51,   0x0102030405060708};

static void make_classes(uint32_t id_bytes)
{
    static const enum hprof_heap_type types[] = {HPROF_OBJECT, HPROF_BOOLEAN, HPROF_CHAR,
                                                 HPROF_FLOAT,  HPROF_DOUBLE,  HPROF_BYTE,
                                                 HPROF_SHORT,  HPROF_INT,     HPROF_LONG};
    klass.instance_bytes = 0;
    for (uint32_t i = 0; i < 9; i++) {
        statics[i] = (struct hprof_heap_field){0x900 + i, "a", types[i], instance_values[i]};
        fields[i] = (struct hprof_heap_field){0x910 + i, "a_long_name", types[i], 0};
        klass.instance_bytes += hprof_heap_size(types[i], id_bytes);
    }
    base_fields[0] = (struct hprof_heap_field){0x920, "n", HPROF_BYTE, 0};
    base.field_count = base.instance_bytes = 1;
    klass.instance_bytes += 1;
    klass.statics = statics;
    klass.fields = fields;
    klass.constants = constants;
    klass.static_count = klass.field_count = 9;
    klass.constant_count = 2;
    klass.serial = 2;
    klass.trace = 8;
}

/* The values of every type, each as wide as it is, as the file has them. */
static size_t expected_values(uint32_t id_bytes, unsigned char *to)
{
    static const unsigned char id8[] = {0, 0, 0, 0, 0, 0, 0, 0xa1};
    static const unsigned char rest[] = {1,    0xc2, 0xc3, 0xf1, 0xf2, 0xf3, 0xf4, 0xd1, 0xd2, 0xd3,
                                         0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xb1, 0,    2,    0,    0,
                                         0,    0x51, 1,    2,    3,    4,    5,    6,    7,    8};
    memcpy(to, id8 + 8 - id_bytes, id_bytes);
    memcpy(to + id_bytes, rest, sizeof(rest));
    return id_bytes + sizeof(rest);
}

static void a_class_and_its_instance_come_back_as_they_were(void **state)
{
    (void)state;
    for (uint32_t n = 4; n <= 8; n += 4) {
        unsigned char expected[64];
        uint64_t values[10];
        struct dump d;
        struct hprof_heap_object o = {.id = 0x40, .trace = 5, .klass = &klass};
        make_classes(n);
        memcpy(values, instance_values, sizeof(instance_values));
        values[9] = 0xee; /* the superclass's */
        open_dump(&d, &hprof_heap_bin, n, 4096);
        d.h.ops->string(&d.h, 0x99, "p.C", 3);
        d.h.ops->load_class(&d.h, &klass, 0x99);
        d.h.ops->begin(&d.h, 1, 1);
        d.h.ops->klass(&d.h, &base);
        d.h.ops->klass(&d.h, &klass);
        d.h.ops->instance(&d.h, &o, values);
        d.h.ops->end(&d.h);
        read_back(&d);
        assert_int_equal(d.count, 7);
        const struct heapcheck_thing *t = d.things;
        assert_int_equal(t[0].tag, 0x101);
        assert_int_equal(t[0].id, 0x99);
        assert_int_equal(t[0].len, 3);
        assert_memory_equal(t[0].data, "p.C", 3);
        assert_int_equal(t[1].tag, 0x102);
        assert_int_equal(t[1].number, 2);
        assert_int_equal(t[1].id, 0x20);
        assert_int_equal(t[1].trace, 8);
        assert_int_equal(t[1].klass, 0x99);
        assert_int_equal(t[2].tag, 0x11c);
        assert_int_equal(t[3].klass, 0);
        assert_int_equal(t[4].tag, 0x20);
        assert_int_equal(t[4].id, 0x20);
        assert_int_equal(t[4].klass, 0x10);
        assert_int_equal(t[4].trace, 8);
        assert_int_equal(t[4].number, klass.instance_bytes);
        assert_int_equal(t[4].constants, 2);
        assert_int_equal(t[4].statics, 9);
        assert_int_equal(t[4].count, 9);
        assert_int_equal(t[5].tag, 0x21);
        assert_int_equal(t[5].id, 0x40);
        assert_int_equal(t[5].trace, 5);
        assert_int_equal(t[5].klass, 0x20);
        size_t own = expected_values(n, expected);
        expected[own] = 0xee;
        assert_int_equal(t[5].len, own + 1);
        assert_memory_equal(t[5].data, expected, own + 1);
        close_dump(&d);
    }
}

static void what_is_empty_has_a_record_too(void **state)
{
    static struct hprof_heap_class empty = {.object = 0x20, .name = "E"};
    struct hprof_heap_object o = {.id = 0x40, .klass = &empty};
    (void)state;
    for (uint32_t n = 4; n <= 8; n += 4) {
        struct dump d;
        open_dump(&d, &hprof_heap_bin, n, 4096);
        d.h.ops->begin(&d.h, 0, 0);
        d.h.ops->klass(&d.h, &empty);
        d.h.ops->instance(&d.h, &o, NULL);
        d.h.ops->objects(&d.h, &o, 0);
        d.h.ops->elements(&d.h, NULL, 0);
        d.h.ops->primitives(&d.h, &o, HPROF_LONG, 0, (const unsigned char *)"");
        d.h.ops->end(&d.h);
        read_back(&d);
        assert_int_equal(d.len,
                         HEAD + (1 + 7 * n + 4 + 4 + 6) + 2 * (1 + 2 * n + 8) + (1 + n + 9) + HEAD);
        assert_int_equal(d.count, 6);
        for (size_t i = 2; i < 5; i++)
            assert_int_equal(d.things[i].count, 0);
        close_dump(&d);
    }
}

static void the_largest_class_of_a_class_file_fits(void **state)
{
    static struct hprof_heap_field many[65535];
    static struct hprof_heap_constant pool[65535];
    static struct hprof_heap_class huge = {.object = 1,
                                           .name = "H",
                                           .statics = many,
                                           .static_count = 65535,
                                           .constants = pool,
                                           .constant_count = 65535};
    struct dump d;
    (void)state;
    for (size_t i = 0; i < 65535; i++)
        many[i] = (struct hprof_heap_field){i, "a", HPROF_LONG, i};
    open_dump(&d, &hprof_heap_bin, 8, 4 << 20);
    d.h.ops->begin(&d.h, 0, 0);
    d.h.ops->klass(&d.h, &huge);
    d.h.ops->end(&d.h);
    read_back(&d);
    assert_int_equal(d.things[1].statics, 65535);
    assert_int_equal(d.things[1].constants, 65535);
    close_dump(&d);
}

static void segments_are_no_longer_than_the_buffer_and_cut_nothing(void **state)
{
    static unsigned char chars[600 * 1024];
    struct hprof_heap_object o = {.id = 1};
    (void)state;
    for (uint32_t n = 4; n <= 8; n += 4) {
        struct dump d;
        size_t arrays = 0;
        open_dump(&d, &hprof_heap_bin, n, 16 << 20);
        d.h.ops->begin(&d.h, 0, 0);
        for (o.id = 1; o.id <= 20; o.id++)
            d.h.ops->primitives(&d.h, &o, HPROF_CHAR, sizeof(chars) / 2, chars);
        d.h.ops->end(&d.h);
        read_back(&d);
        for (size_t i = 0; i < d.count; i++) {
            if (d.things[i].tag == 0x11c)
                assert_int_equal(d.things[i].len,
                                 (d.count - i == 4 ? 2 : 3) * (1 + n + 9 + sizeof(chars)));
            else if (d.things[i].tag == 0x23)
                assert_int_equal(d.things[i].id, ++arrays);
        }
        assert_int_equal(arrays, 20);
        assert_int_equal(d.count, 20 + 7 + 1);
        close_dump(&d);
    }
}

/* Three longer than the buffer, with a short one before, between and behind them. */
static void an_object_longer_than_the_buffer_is_alone_in_its_segment(void **state)
{
    enum {
        COUNT = HPROF_HEAP_SEGMENT / 2 + 7,
        BYTES = 2 * COUNT,
        FIELDS = HPROF_HEAP_SEGMENT / 4 + 3
    };
    static struct hprof_heap_field many[FIELDS];
    static struct hprof_heap_class wide = {.object = 0x70, .fields = many};
    unsigned char *shorts = calloc(COUNT, 2);
    uint64_t *ids = calloc(COUNT, sizeof(*ids));
    struct hprof_heap_object o = {.id = 1, .klass = &wide};
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        shorts[2 * i] = (unsigned char)i; /* little-endian, as in memory */
        shorts[2 * i + 1] = (unsigned char)(i >> 8);
        ids[i] = i;
    }
    for (uint32_t i = 0; i < FIELDS; i++)
        many[i].type = HPROF_INT;
    wide.field_count = FIELDS;
    wide.instance_bytes = FIELDS * 4;
    for (int has_segments = 0; has_segments < 2; has_segments++) {
        for (uint32_t n = 4; n <= 8; n += 4) {
            struct dump d;
            open_dump(&d, &hprof_heap_bin, n, 32 << 20);
            d.h.has_segments = has_segments;
            int file = testfile_temp(); /* the length of one record is filled in at its end */
            if (!has_segments) {
                sink_done(&d.sink);
                sink_init(&d.sink, file);
            }
            d.h.ops->begin(&d.h, 0, 0);
            d.h.ops->primitives(&d.h, &o, HPROF_BYTE, 5, shorts);
            d.h.ops->primitives(&d.h, &o, HPROF_SHORT, COUNT, shorts);
            d.h.ops->objects(&d.h, &o, COUNT);
            for (uint32_t done = 0; done < COUNT; done += 512)
                d.h.ops->elements(&d.h, ids + done, COUNT - done < 512 ? COUNT - done : 512);
            d.h.ops->primitives(&d.h, &o, HPROF_BYTE, 5, shorts);
            d.h.ops->instance(&d.h, &o, ids);
            d.h.ops->primitives(&d.h, &o, HPROF_BYTE, BYTES, shorts);
            d.h.ops->primitives(&d.h, &o, HPROF_BYTE, 5, shorts);
            d.h.ops->end(&d.h);
            assert_int_equal(sink_flush(&d.sink), 0);
            if (!has_segments) {
                free(d.bytes);
                d.bytes = (unsigned char *)testfile_contents(file, &d.len);
            }
            close(file);
            read_back(&d);
            const struct heapcheck_thing *t = d.things;
            size_t step = has_segments ? 2 : 1, first = has_segments ? 3 : 2;
            assert_int_equal(d.count, has_segments ? 7 + 7 + 1 : 1 + 7);
            assert_int_equal(t[0].tag, has_segments ? 0x11c : 0x10c);
            const struct heapcheck_thing *shorts_back = &t[first], *ids_back = &t[first + step],
                                         *wide_back = &t[first + 3 * step];
            assert_int_equal(shorts_back->count, COUNT);
            assert_int_equal(ids_back->count, COUNT);
            assert_int_equal(wide_back->count, FIELDS * 4);
            assert_int_equal(t[first + 4 * step].count, BYTES);
            assert_memory_equal(t[first + 4 * step].data, shorts, BYTES);
            for (size_t i = 0; i < COUNT; i++) {
                assert_int_equal(shorts_back->data[2 * i], i >> 8 & 255);
                assert_int_equal(shorts_back->data[2 * i + 1], i & 255);
                assert_int_equal(ids_back->data[(i + 1) * n - 1], i & 255);
                assert_int_equal(ids_back->data[(i + 1) * n - 3], i >> 16);
                if (i < FIELDS)
                    assert_int_equal(wide_back->data[4 * i + 3], i & 255);
            }
            for (size_t i = 0; i < d.count && has_segments; i++)
                if (t[i].tag == 0x11c && t[i].len > HPROF_HEAP_SEGMENT)
                    assert_true(i + 2 == d.count || t[i + 2].tag > 0x100);
            close_dump(&d);
        }
    }
    free(shorts);
    free(ids);
}

/* The head says what a record of less than 4 GB can hold; the rest of the elements is left out. */
static void an_array_of_more_than_4_gb_is_cut_and_counted(void **state)
{
    static const uint32_t many = 0x20000000; /* of 8 bytes: 4 GB */
    static struct hprof_heap_class array = {.object = 0x70, .name = "java.lang.Object[]"};
    struct hprof_heap_object o = {.id = 0x1234, .klass = &array};
    struct hprof_heap_cuts more = {0};
    uint64_t ids[512] = {0};
    struct dump d;
    (void)state;
    open_dump(&d, &hprof_heap_bin, 8, 64 << 10);
    d.h.ops->begin(&d.h, 0, 0);
    d.h.ops->objects(&d.h, &o, many);
    uint64_t left = d.h.left_open;
    assert_int_equal(d.h.cuts.count, 1);
    /* HotSpot's heapDumper.cpp: (max_juint - header) / 8, the header of 25 bytes with ids of 8 */
    assert_int_equal(left, (UINT32_MAX - 25) / 8);
    assert_int_equal(d.h.cuts.first[0].full, many);
    assert_int_equal(d.h.cuts.first[0].written, left);
    assert_int_equal(d.h.cuts.first[0].object, 0x1234);
    assert_string_equal(d.h.cuts.first[0].name, "java.lang.Object[]");
    for (int i = 0; i < HPROF_HEAP_CUTS; i++)
        hprof_heap_cuts_add(&more, &d.h.cuts);
    hprof_heap_cuts_add(&more, &d.h.cuts);
    assert_int_equal(more.count, HPROF_HEAP_CUTS + 1);
    assert_int_equal(more.first[HPROF_HEAP_CUTS - 1].object, 0x1234);
    sink_flush(&d.sink);
    uint32_t body = 0;
    for (int i = 5; i < HEAD; i++)
        body = body << 8 | d.bytes[i];
    assert_int_equal(body, 9 + 8 + 8 + left * 8);
    /* As if all but ten had been written. */
    d.h.left_open = 10;
    d.h.ops->elements(&d.h, ids, 512);
    assert_int_equal(d.h.left_open, 0);
    assert_int_equal(d.h.record_is_open, 0);
    sink_flush(&d.sink);
    assert_int_equal(d.len, HEAD + 9 + 8 + 8 + 10 * 8);
    d.h.ops->elements(&d.h, ids, 512); /* what had no room in the record */
    d.h.ops->end(&d.h);
    sink_flush(&d.sink);
    assert_int_equal(d.len, HEAD + 9 + 8 + 8 + 10 * 8 + HEAD);
    close_dump(&d);
}

static void a_record_of_version_1_0_1_cannot_grow_beyond_4_gb(void **state)
{
    struct hprof_heap_object o = {.id = 1};
    static unsigned char none[1];
    (void)state;
    for (int arrays = 1; arrays <= 2; arrays++) {
        struct dump d;
        open_dump(&d, &hprof_heap_bin, 4, 1);
        sink_done(&d.sink);
        sink_init(&d.sink, -1); /* bytes are counted, and nobody looks at them */
        d.h.has_segments = 0;
        d.h.ops->begin(&d.h, 0, 0);
        for (int i = 0; i < arrays; i++)
            d.h.ops->primitives(&d.h, &o, HPROF_BYTE, 0xffff0000, none);
        d.h.ops->end(&d.h);
        assert_int_equal(d.h.cuts.count, 0);
        assert_int_equal(d.h.error, arrays == 1 ? -EINVAL /* no file to fill the length in */
                                                : E_LIMIT);
        close_dump(&d);
    }
}

static void write_some_of_everything(struct dump *d)
{
    static unsigned char ints[400000];
    struct hprof_heap_object o = {.id = 0x40, .klass = &klass, .bytes = 16};
    struct hprof_heap_root root = {.kind = HPROF_ROOT_THREAD, .object = 0x40, .thread = 1};
    uint64_t values[10] = {0x50, 0};
    make_classes(d->h.id_bytes);
    d->h.ops->string(&d->h, 0x99, "p.C", 3);
    d->h.ops->load_class(&d->h, &klass, 0x99);
    d->h.ops->begin(&d->h, 3, 100);
    d->h.ops->root(&d->h, &root);
    d->h.ops->klass(&d->h, &klass);
    for (int i = 0; i < 30; i++) {
        d->h.ops->instance(&d->h, &o, values);
        d->h.ops->objects(&d->h, &o, 2);
        d->h.ops->elements(&d->h, values, 2);
        d->h.ops->primitives(&d->h, &o, HPROF_INT, sizeof(ints) / 4, ints);
    }
    d->h.ops->end(&d->h);
}

static void after_a_full_disk_nothing_more_is_written(void **state)
{
    static const struct hprof_heap_ops *const formats[] = {&hprof_heap_bin, &hprof_heap_text};
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        struct dump whole;
        open_dump(&whole, formats[f], 8, 16 << 20);
        write_some_of_everything(&whole);
        assert_int_equal(sink_flush(&whole.sink), 0);
        for (size_t room = 1; room < whole.len; room += whole.len / 40 + 1) {
            struct dump d;
            open_dump(&d, formats[f], 8, room);
            write_some_of_everything(&d);
            sink_flush(&d.sink);
            assert_int_equal(sink_error(&d.sink), -ENOSPC);
            assert_int_equal(sink_position(&d.sink), d.len);
            size_t full = d.len;
            d.room = whole.len; /* somebody made room: too late, there would be a hole */
            write_some_of_everything(&d);
            assert_int_equal(sink_flush(&d.sink), -ENOSPC);
            assert_int_equal(d.len, full);
            close_dump(&d);
        }
        close_dump(&whole);
    }
}

static void other_readers_of_ours_find_the_same_records(void **state)
{
    (void)state;
    for (uint32_t n = 4; n <= 8; n += 4) {
        unsigned char head[] = "JAVA PROFILE 1.0.2\0\0\0\0\4\0\0\0\0\0\0\0\0";
        struct dump d;
        struct hprof_split split = {.format = 0};
        struct reader_error error = {0};
        struct profile *p = profile_new(1 << 20);
        size_t at = 0, records = 0, expected = 0;
        open_dump(&d, &hprof_heap_bin, n, 16 << 20);
        head[22] = (unsigned char)n;
        sink_bytes(&d.sink, head, sizeof(head) - 1);
        write_some_of_everything(&d);
        sink_flush(&d.sink);
        assert_int_equal(heapcheck_read(d.bytes + sizeof(head) - 1, d.len - (sizeof(head) - 1), n,
                                        keep_thing, &d),
                         0);
        for (size_t i = 0; i < d.count; i++)
            expected += d.things[i].tag > 0x100;
        while (at < d.len) {
            bool is_end;
            at += hprof_split_take(&split, d.bytes + at, d.len - at, &is_end);
            records += (size_t)is_end;
        }
        assert_int_equal(records, expected + 1); /* the header is one as well */
        assert_int_equal(split.tag, 0x2c);
        assert_int_equal(format_read(format_named("hprof-binary"), d.bytes, d.len, p, &error), 0);
        assert_true(profile_class_count(p) > 0);
        profile_free(p);
        close_dump(&d);
    }
}

static void text_names_references_and_leaves_values_out(void **state)
{
    static const char expected[] = "HEAP DUMP BEGIN (3 objects, 100 bytes) today\n"
                                   "ROOT 40 (kind=<thread>, id=1, trace=0)\n"
                                   "ROOT 41 (kind=<JNI global ref>, id=ff, trace=0)\n"
                                   "ROOT 20 (kind=<system class>, name=p.C)\n"
                                   "CLS 20 (name=p.C, trace=8)\n"
                                   "\tsuper\t\t10\n"
                                   "\tloader\t\t30\n"
                                   "\tsigners\t\t31\n"
                                   "\tdomain\t\t32\n"
                                   "\tstatic a\ta1\n"
                                   "\tconstant pool entry 3\t500\n"
                                   "\tconstant pool entry 65535\t501\n"
                                   "OBJ 40 (sz=16, trace=5, class=p.C@20)\n"
                                   "\ta_long_name\ta1\n"
                                   "ARR 40 (sz=16, trace=5, nelems=4, elem type=p.C@20)\n"
                                   "\t[1]\t\t7\n"
                                   "\t[3]\t\t8\n"
                                   "ARR 40 (sz=24, trace=5, nelems=3, elem type=long[])\n"
                                   "HEAP DUMP END\n";
    static const struct hprof_heap_root roots[] = {
        {.kind = HPROF_ROOT_THREAD, .object = 0x40, .thread = 1},
        {.kind = HPROF_ROOT_JNI_GLOBAL, .object = 0x41, .reference = 0xff},
        {.kind = HPROF_ROOT_SYSTEM_CLASS, .object = 0x20, .name = "p.C"},
    };
    uint64_t values[10], ids[] = {0, 7, 0, 8};
    struct hprof_heap_object o = {.id = 0x40, .bytes = 16, .trace = 5, .klass = &klass};
    struct dump d;
    (void)state;
    make_classes(8);
    memcpy(values, instance_values, sizeof(instance_values));
    values[9] = 0;
    open_dump(&d, &hprof_heap_text, 8, 4096);
    d.h.ops->string(&d.h, 1, "not in text", 11);
    d.h.ops->load_class(&d.h, &klass, 1);
    d.h.ops->begin(&d.h, 3, 100);
    for (size_t i = 0; i < 3; i++)
        d.h.ops->root(&d.h, &roots[i]);
    d.h.ops->klass(&d.h, &klass);
    d.h.ops->instance(&d.h, &o, values);
    d.h.ops->objects(&d.h, &o, 4);
    d.h.ops->elements(&d.h, ids, 3);
    d.h.ops->elements(&d.h, ids + 3, 1);
    o.klass = NULL;
    d.h.ops->primitives(&d.h, &o, HPROF_LONG, 3, (const unsigned char *)"");
    d.h.ops->end(&d.h);
    assert_int_equal(sink_flush(&d.sink), 0);
    d.bytes[d.len] = '\0';
    assert_string_equal((const char *)d.bytes, expected);
    close_dump(&d);
}

static void roots_of_a_thread_that_nobody_knows_name_no_thread_in_binary(void **state)
{
    static const struct hprof_heap_root roots[] = {
        {.kind = HPROF_ROOT_THREAD, .object = 0x10, .thread = 8, .trace = 300},
        {.kind = HPROF_ROOT_THREAD, .object = 0x20, .thread = 9, .trace = 300},
        {.kind = HPROF_ROOT_JAVA_FRAME, .object = 0x30, .thread = 9, .frame = 1},
        {.kind = HPROF_ROOT_JNI_LOCAL, .object = 0x40, .thread = 9, .frame = -1},
        {.kind = HPROF_ROOT_JNI_LOCAL, .object = 0x50, .thread = 8, .frame = -1},
        {.kind = HPROF_ROOT_MONITOR, .object = 0x60, .thread = 9},
    };
    static const struct {
        uint8_t tag;
        uint64_t id;
    } expected[] = {
        {HPROF_ROOT_THREAD, 0x10},  {HPROF_ROOT_THREAD_BLOCK, 0x10}, {HPROF_ROOT_UNKNOWN, 0x20},
        {HPROF_ROOT_UNKNOWN, 0x30}, {HPROF_ROOT_UNKNOWN, 0x40},      {HPROF_ROOT_JNI_LOCAL, 0x50},
        {HPROF_ROOT_MONITOR, 0x60},
    };
    struct dump d;
    (void)state;
    open_dump(&d, &hprof_heap_bin, 8, 4096);
    d.h.ops->begin(&d.h, 0, 0);
    hprof_heap_root_of_unknown(&d.h, 9, 300);
    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
        hprof_heap_root(&d.h, &roots[i], 9);
    d.h.ops->end(&d.h);
    read_back(&d);
    assert_int_equal(d.count, 1 + 7 + 1);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(d.things[1 + i].tag, expected[i].tag);
        assert_int_equal(d.things[1 + i].id, expected[i].id);
    }
    close_dump(&d);
}

static void in_text_the_unknown_thread_is_the_first_root(void **state)
{
    static const char expected[] = "ROOT 0 (kind=<thread>, id=9, trace=300)\n"
                                   "ROOT 30 (kind=<Java stack>, thread=9, frame=1)\n";
    struct hprof_heap_root r = {
        .kind = HPROF_ROOT_JAVA_FRAME, .object = 0x30, .thread = 9, .frame = 1};
    struct dump d;
    (void)state;
    open_dump(&d, &hprof_heap_text, 4, 4096);
    hprof_heap_root_of_unknown(&d.h, 9, 300);
    hprof_heap_root(&d.h, &r, 9);
    assert_int_equal(sink_flush(&d.sink), 0);
    d.bytes[d.len] = '\0';
    assert_string_equal((const char *)d.bytes, expected);
    close_dump(&d);
}

/* Memory as a VM has it: references of four bytes that are to be shifted, or of eight. */
static struct hprof_heap_refs refs_of(uint32_t bytes, uint32_t id_bytes)
{
    struct hprof_heap_refs r = {.bytes = bytes, .base = bytes == 4 ? 0x7000 : 0};
    r.shift = bytes == 4 ? 3 : 0;
    if (id_bytes == 4) { /* the number of the place in a heap that begins at 0x7008 */
        r.down = 3;
        r.base -= 0x7000;
    }
    return r;
}

static uint64_t put_reference(unsigned char *to, const struct hprof_heap_refs *r, uint64_t place)
{
    uint64_t address = place ? 0x7000 + place * 8 : 0, narrow = place;
    memcpy(to, r->bytes == 4 ? &narrow : &address, r->bytes);
    return r->down ? place : address;
}

static void an_instance_copied_from_memory_is_that_of_its_values(void **state)
{
    static const uint16_t sizes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8};
    (void)state;
    for (uint32_t n = 4; n <= 8; n += 4) {
        for (uint32_t bytes = 4; bytes <= 8; bytes += 4) {
            struct hprof_heap_refs refs = refs_of(bytes, n);
            struct hprof_heap_object o = {.id = 0x4142434445464748, .trace = 5, .klass = &klass};
            struct hprof_heap_value rows[10];
            struct hprof_heap_copy copy;
            unsigned char memory[80], *end;
            uint64_t values[10];
            struct dump d;
            make_classes(n);
            memset(memory, 0xdd, sizeof(memory));
            for (uint32_t i = 0; i < 9; i++) { /* the last one lies first */
                rows[i] = (struct hprof_heap_value){72 - 8 * i, (uint16_t)fields[i].type, sizes[i],
                                                    false};
                memcpy(memory + 72 - 8 * i, &instance_values[i], sizes[i]);
                values[i] = instance_values[i];
            }
            values[0] = put_reference(memory + 72, &refs, 0xa1);
            rows[9] = (struct hprof_heap_value){3, HPROF_BYTE, 1, false};
            values[9] = 0xdd; /* the superclass's */
            klass.values = rows;
            klass.value_count = 10;
            open_dump(&d, &hprof_heap_bin, n, 4096);
            d.h.ops->instance(&d.h, &o, values);
            size_t used = d.h.used;
            unsigned char *copied = d.h.buffer + used;
            hprof_heap_bin_copy(&d.h, &klass, &copy);
            assert_true(copy.room_bytes >= used && copy.room_bytes >= HPROF_HEAP_COPY_HEAD);
            end = hprof_heap_copy_instance(&copy, &refs, n, o.id, o.trace, memory, copied);
            assert_int_equal(end - copied, used);
            assert_memory_equal(copied, d.h.buffer, used);
            close_dump(&d);
        }
    }
}

/* A short array and one that is longer than the buffer; every fifth reference is null. */
static void elements_copied_from_memory_are_those_of_their_ids(void **state)
{
    enum { LONG = HPROF_HEAP_SEGMENT / 4 + 7 };
    unsigned char *memory = malloc(8 * LONG);
    uint64_t *ids = malloc(LONG * sizeof(*ids));
    (void)state;
    for (uint32_t n = 4; n <= 8; n += 4) {
        for (uint32_t bytes = 4; bytes <= 8; bytes += 4) {
            struct hprof_heap_object o = {.id = 1, .klass = &klass};
            struct dump by_ids, by_memory;
            struct pair_lock lock = {0};
            open_dump(&by_ids, &hprof_heap_bin, n, 16 << 20);
            open_dump(&by_memory, &hprof_heap_bin, n, 16 << 20);
            by_memory.h.refs = refs_of(bytes, n);
            by_memory.h.lock = &lock;
            for (uint32_t i = 0; i < LONG; i++)
                ids[i] = put_reference(memory + (size_t)i * bytes, &by_memory.h.refs, i % 5 * i);
            for (uint32_t count = 0; count <= LONG; count += count ? LONG - 3 : 3) {
                by_ids.h.ops->objects(&by_ids.h, &o, count);
                by_ids.h.ops->elements(&by_ids.h, ids, count);
                by_memory.h.ops->objects(&by_memory.h, &o, count);
                assert_int_equal(lock.is_taken, count >= LONG - 3); /* it goes on in the file */
                by_memory.h.ops->elements_at(&by_memory.h, memory, count);
                assert_int_equal(lock.is_taken, 0);
            }
            by_ids.h.ops->end(&by_ids.h);
            by_memory.h.ops->end(&by_memory.h);
            read_back(&by_ids);
            read_back(&by_memory);
            assert_int_equal(by_ids.count, by_memory.count);
            assert_int_equal(by_ids.len, by_memory.len);
            for (size_t i = 0; i < by_ids.count; i++) {
                assert_int_equal(by_ids.things[i].tag, by_memory.things[i].tag);
                assert_int_equal(by_ids.things[i].len, by_memory.things[i].len);
                if (by_ids.things[i].tag == 0x22)
                    assert_memory_equal(by_ids.things[i].data, by_memory.things[i].data,
                                        by_ids.things[i].len);
            }
            close_dump(&by_ids);
            close_dump(&by_memory);
        }
    }
    free(memory);
    free(ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_root_of_each_kind_has_its_numbers),
        cmocka_unit_test(a_class_and_its_instance_come_back_as_they_were),
        cmocka_unit_test(an_instance_copied_from_memory_is_that_of_its_values),
        cmocka_unit_test(elements_copied_from_memory_are_those_of_their_ids),
        cmocka_unit_test(what_is_empty_has_a_record_too),
        cmocka_unit_test(the_largest_class_of_a_class_file_fits),
        cmocka_unit_test(segments_are_no_longer_than_the_buffer_and_cut_nothing),
        cmocka_unit_test(an_object_longer_than_the_buffer_is_alone_in_its_segment),
        cmocka_unit_test(an_array_of_more_than_4_gb_is_cut_and_counted),
        cmocka_unit_test(a_record_of_version_1_0_1_cannot_grow_beyond_4_gb),
        cmocka_unit_test(after_a_full_disk_nothing_more_is_written),
        cmocka_unit_test(other_readers_of_ours_find_the_same_records),
        cmocka_unit_test(text_names_references_and_leaves_values_out),
        cmocka_unit_test(roots_of_a_thread_that_nobody_knows_name_no_thread_in_binary),
        cmocka_unit_test(in_text_the_unknown_thread_is_the_first_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
