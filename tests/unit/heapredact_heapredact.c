/*
 * heapredact_heapredact.c - a heap dump without its values is the same heap dump.
 *
 * The dump is made here record by record. Numbers that must not stay have the digits CAFE.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapredact/heapredact.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/be.h"
#include "base/err.h"
#include "base/sink.h"
#include "cmocka_all.h"
#include "format/hprof_bin.h"
#include "format/hprof_heap.h"
#include "heap/heapinput.h"

enum { ROOM = 1 << 16, CLASS_NODE = 0x1000, CLASS_BASE = 0x1100, UNKNOWN_RECORD = 0x77 };

/* Ids of texts. */
enum {
    T_NODE = 1,
    T_BASE,
    T_HASH,
    T_COUNT,
    T_NEXT,
    T_STATIC,
    T_LITERAL,
    T_METHOD,
    T_DESCRIPTOR,
    T_FILE,
    T_THREAD,
    T_PROGRAM
};

/* A file that is being made or written, and where in it its last record or segment began. */
struct file {
    unsigned char bytes[ROOM];
    size_t len, record_at;
    unsigned id_bytes;
};

static struct file in, out;

static void put(uint64_t value, unsigned bytes)
{
    for (unsigned i = bytes; i > 0; i--)
        in.bytes[in.len++] = i > 8 ? 0 : (unsigned char)(value >> 8 * (i - 1));
}

static void put_id(uint64_t id)
{
    put(id, in.id_bytes);
}

static void begin_record(int tag)
{
    in.record_at = in.len;
    put((uint64_t)tag, 1);
    put(7, 4);
    put(0, 4);
}

static void end_record(void)
{
    be_put4(in.bytes + in.record_at + 5, (uint32_t)(in.len - in.record_at - 9));
}

static void begin_file(unsigned id_bytes, const char *version)
{
    in.len = 0;
    in.id_bytes = id_bytes;
    memcpy(in.bytes, version, strlen(version) + 1);
    in.len = strlen(version) + 1;
    put(id_bytes, 4);
    put(1234567, 8);
}

static void text(uint64_t id, const char *bytes)
{
    begin_record(HPROF_BIN_UTF8);
    put_id(id);
    memcpy(in.bytes + in.len, bytes, strlen(bytes));
    in.len += strlen(bytes);
    end_record();
}

static void load_class(uint64_t id, uint64_t name)
{
    begin_record(HPROF_BIN_LOAD_CLASS);
    put(1, 4);
    put_id(id);
    put(0, 4);
    put_id(name);
    end_record();
}

static void class_head(uint64_t id, uint64_t super)
{
    put(HEAP_RECORD_CLASS, 1);
    put_id(id);
    put(0, 4);
    put_id(super);
    for (int i = 0; i < 5; i++)
        put_id(0);
    put(0, 4);
}

static void field(uint64_t name, int type)
{
    put_id(name);
    put((uint64_t)type, 1);
}

/* class Node extends Base { static int STATIC = 0xCAFE; int hash; Object next; int count; } */
static void dump_node_class(void)
{
    class_head(CLASS_NODE, CLASS_BASE);
    put(1, 2); /* one constant */
    put(9, 2);
    put(HPROF_INT, 1);
    put(0xcafe, 4);
    put(2, 2); /* two static fields */
    field(T_STATIC, HPROF_INT);
    put(0xcafe, 4);
    field(T_NEXT, HPROF_OBJECT);
    put_id(0x2222);
    put(3, 2);
    field(T_HASH, HPROF_INT);
    field(T_NEXT, HPROF_OBJECT);
    field(T_COUNT, HPROF_INT);
}

/* class Base { long count; } */
static void dump_base_class(void)
{
    class_head(CLASS_BASE, 0);
    put(0, 2);
    put(0, 2);
    put(1, 2);
    field(T_COUNT, HPROF_LONG);
}

/* Returns where its values begin. */
static size_t node(uint64_t id)
{
    put(HEAP_RECORD_INSTANCE, 1);
    put_id(id);
    put(0, 4);
    put_id(CLASS_NODE);
    put(4 + in.id_bytes + 4 + 8, 4);
    size_t at = in.len;
    put(0xcafe, 4);
    put_id(0x2222);
    put(0xcafe0001, 4);
    put(0xcafe0002, 8);
    return at;
}

/* Returns where its elements begin. */
static size_t array(uint64_t id, enum hprof_heap_type type, uint32_t count)
{
    put(HEAP_RECORD_PRIMITIVES, 1);
    put_id(id);
    put(0, 4);
    put(count, 4);
    put((uint64_t)type, 1);
    size_t at = in.len;
    put(0xcafe, count * hprof_heap_size(type, 8));
    return at;
}

static void texts_and_names(void)
{
    text(T_NODE, "com/example/Node");
    text(T_BASE, "java/util/Base");
    text(T_HASH, "myHash");
    text(T_COUNT, "count");
    text(T_NEXT, "next");
    text(T_STATIC, "STATIC");
    text(T_LITERAL, "secret literal");
    text(T_METHOD, "method");
    text(T_DESCRIPTOR, "(I)V");
    text(T_FILE, "Node.java");
    text(T_THREAD, "thread of bob");
    text(T_PROGRAM, "hprof program: Main");
    load_class(CLASS_BASE, T_BASE);
    load_class(CLASS_NODE, T_NODE);
    begin_record(HPROF_BIN_FRAME);
    put_id(77);
    put_id(T_METHOD);
    put_id(T_DESCRIPTOR);
    put_id(T_FILE);
    put(1, 4);
    put(12, 4);
    end_record();
    begin_record(HPROF_BIN_START_THREAD);
    put(1, 4);
    put_id(0x3000);
    put(0, 4);
    put_id(T_THREAD);
    put_id(0);
    put_id(0);
    end_record();
}

/* Where things lie in the file of make_all(). */
static struct {
    size_t node, ints, chars, unknown;
} at;

static void make_all(unsigned id_bytes)
{
    begin_file(id_bytes, "JAVA PROFILE 1.0.2");
    texts_and_names();
    begin_record(HPROF_BIN_HEAP_SEGMENT);
    dump_base_class();
    dump_node_class();
    at.node = node(0x2000);
    end_record();
    begin_record(HPROF_BIN_HEAP_SEGMENT);
    at.ints = array(0x2100, HPROF_INT, 3);
    at.chars = array(0x2200, HPROF_CHAR, 5);
    end_record();
    begin_record(HPROF_BIN_HEAP_DUMP_END);
    end_record();
    begin_record(UNKNOWN_RECORD);
    at.unknown = in.len;
    put(0xcafe, 8);
    end_record();
}

static int take(void *to, const unsigned char *bytes, size_t len)
{
    (void)to;
    assert_true(len <= ROOM - out.len);
    memcpy(out.bytes + out.len, bytes, len);
    out.len += len;
    return 0;
}

static struct heapredact_counts counts;
static const struct heapredact_request usual = {.rule = {.values = HPROF_REDACT_VALUES}};
static const struct heapredact_request all = {.rule = {.values = HPROF_REDACT_ALL}};

/* Reads `in` and writes `out`. Returns the errors of both readings. */
static int redact(const struct heapredact_request *request, int *ret_write)
{
    struct heapredact *h = heapredact_new(request);
    struct heapinput file = {.fd = memfd_create("dump", 0), .bytes = in.len};
    struct sink sink;
    assert_non_null(h);
    assert_int_equal(write(file.fd, in.bytes, in.len), in.len);
    out.len = 0;
    int learned = heapredact_learn(h, &file);
    assert_int_equal(sink_init_taker(&sink, take, NULL), 0);
    *ret_write = heapredact_write(h, &file, &sink);
    heapinput_close(&file);
    assert_int_equal(sink_done(&sink), 0);
    counts = *heapredact_done(h);
    heapredact_free(h);
    return learned;
}

static void must_redact(const struct heapredact_request *request)
{
    int written;
    assert_int_equal(redact(request, &written), 0);
    assert_int_equal(written, 0);
}

static bool has(const char *what)
{
    return memmem(out.bytes, out.len, what, strlen(what)) != NULL;
}

static void arrays_hashes_and_literals_are_zero_and_the_rest_is_the_same(void **state)
{
    (void)state;
    for (unsigned id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
        make_all(id_bytes);
        must_redact(&usual);
        assert_int_equal(out.len, in.len);
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(out.bytes[at.node + i], 0);
        for (size_t i = 0; i < 3 * 4; i++)
            assert_int_equal(out.bytes[at.ints + i], 0);
        for (size_t i = 0; i < 8; i++)
            assert_int_equal(out.bytes[at.unknown + i], 0);
        assert_false(has("secret literal"));
        /* With these bytes put back, it is the same file. */
        memcpy(out.bytes + at.node, in.bytes + at.node, 4);
        memcpy(out.bytes + at.ints, in.bytes + at.ints, 12);
        memcpy(out.bytes + at.chars, in.bytes + at.chars, 10);
        memcpy(out.bytes + at.unknown, in.bytes + at.unknown, 8);
        unsigned char *literal = memmem(in.bytes, in.len, "secret literal", 14);
        memcpy(out.bytes + (literal - in.bytes), literal, 14);
        assert_memory_equal(out.bytes, in.bytes, in.len);
        assert_int_equal(counts.arrays, 2);
        assert_int_equal(counts.array_bytes, 12 + 10);
        assert_int_equal(counts.texts, 1);
        assert_int_equal(counts.unknown, 0);
    }
}

static void with_all_nothing_but_references_is_left(void **state)
{
    (void)state;
    for (unsigned id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
        make_all(id_bytes);
        must_redact(&all);
        assert_int_equal(out.len, in.len);
        assert_null(memmem(out.bytes, out.len, "\xca\xfe", 2));
        const unsigned char *values = out.bytes + at.node;
        assert_int_equal(be_id(values + 4, id_bytes), 0x2222);
        for (unsigned i = 0; i < 4 + id_bytes + 4 + 8; i++)
            assert_true(values[i] == 0 || (i >= 4 && i < 4 + id_bytes));
    }
}

static void what_is_kept_has_its_values(void **state)
{
    (void)state;
    make_all(8);
    must_redact(&(struct heapredact_request){
        .rule = {.values = HPROF_REDACT_ALL, .keep = "com.*.Node;int[]"}});
    assert_memory_equal(out.bytes + at.node, in.bytes + at.node, 4 + 8 + 4 + 8);
    assert_memory_equal(out.bytes + at.ints, in.bytes + at.ints, 12);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(out.bytes[at.chars + i], 0);
    must_redact(&(struct heapredact_request){
        .rule = {.values = HPROF_REDACT_ALL, .keep = "com.example.Nod;Node;;int;"}});
    assert_null(memmem(out.bytes, out.len, "\xca\xfe", 2));
}

static void names_of_classes_and_of_fields_of_the_jdk_stay(void **state)
{
    (void)state;
    make_all(8);
    must_redact(
        &(struct heapredact_request){.rule = {.values = HPROF_REDACT_VALUES, .has_names = true}});
    assert_true(has("com/example/Node") && has("java/util/Base") && has("count"));
    assert_true(has("()V"));
    assert_false(has("thread of bob") || has("method") || has("(I)V") || has("Node.java") ||
                 has("STATIC") || has("next") || has("myHash") || has("hprof program"));
    assert_true(has("name1") && has("name6") && !has("name7"));
    must_redact(&usual);
    assert_true(has("thread of bob") && has("method") && has("(I)V") && has("hprof program"));
}

static void an_object_may_stand_before_its_class(void **state)
{
    (void)state;
    begin_file(4, "JAVA PROFILE 1.0.1");
    texts_and_names();
    begin_record(HPROF_BIN_HEAP_DUMP);
    size_t values = node(0x2000);
    dump_node_class();
    dump_base_class();
    end_record();
    must_redact(&usual);
    assert_int_equal(be_4(out.bytes + values), 0);
    assert_memory_equal(out.bytes + values + 4, in.bytes + values + 4, 4 + 4 + 8);
    assert_int_equal(counts.unknown, 0);
}

static void an_object_without_a_class_keeps_nothing(void **state)
{
    (void)state;
    begin_file(8, "JAVA PROFILE 1.0");
    texts_and_names();
    begin_record(HPROF_BIN_HEAP_DUMP);
    dump_node_class(); /* without the superclass */
    size_t values = node(0x2000);
    end_record();
    must_redact(&usual);
    for (size_t i = 0; i < 4 + 8 + 4 + 8; i++)
        assert_int_equal(out.bytes[values + i], 0);
    assert_int_equal(counts.unknown, 1);
    /* Now the class is whole, and the object has fewer bytes than it says. */
    begin_file(8, "JAVA PROFILE 1.0");
    texts_and_names();
    begin_record(HPROF_BIN_HEAP_DUMP);
    dump_base_class();
    dump_node_class();
    values = node(0x2000);
    be_put4(in.bytes + values - 4, 4 + 8);
    in.len -= 4 + 8;
    end_record();
    must_redact(&usual);
    assert_int_equal(counts.unknown, 1);
    assert_null(memmem(out.bytes + values, 4 + 8, "\xca\xfe", 2));
}

static void what_is_there_of_a_cut_file_is_written(void **state)
{
    (void)state;
    static unsigned char whole[ROOM];
    make_all(8);
    size_t len = in.len;
    must_redact(&usual);
    memcpy(whole, out.bytes, out.len);
    for (size_t cut = 40; cut < len; cut++) {
        int written;
        in.len = cut;
        int learned = redact(&usual, &written);
        assert_int_equal(learned, written);
        assert_true(learned == 0 || learned == E_TRUNCATED);
        assert_true(out.len <= cut && out.len + 200 > cut);
        /* A text to which a record refers that is cut off is zeroed. */
        assert_true(cut < at.node || memcmp(out.bytes, whole, out.len) == 0);
    }
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    int written;
    make_all(8);
    in.bytes[at.ints - 1] = 77; /* the type of elements */
    assert_int_equal(redact(&usual, &written), E_FORMAT);
    make_all(8);
    be_put4(in.bytes + at.ints - 5, 100); /* more elements than the segment has */
    assert_int_equal(redact(&usual, &written), E_FORMAT);
    make_all(8);
    in.bytes[20] = 5; /* the size of identifiers */
    assert_int_equal(redact(&usual, &written), E_FORMAT);
    make_all(8);
    in.bytes[3] = 'B';
    assert_int_equal(redact(&usual, &written), E_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_hashes_and_literals_are_zero_and_the_rest_is_the_same),
        cmocka_unit_test(with_all_nothing_but_references_is_left),
        cmocka_unit_test(what_is_kept_has_its_values),
        cmocka_unit_test(names_of_classes_and_of_fields_of_the_jdk_stay),
        cmocka_unit_test(an_object_may_stand_before_its_class),
        cmocka_unit_test(an_object_without_a_class_keeps_nothing),
        cmocka_unit_test(what_is_there_of_a_cut_file_is_written),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
