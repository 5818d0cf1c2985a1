/*
 * fuzz_hprof_heap.c - any heap, written as a binary dump and read back.
 *
 * The input is a list of calls of the writers: what they wrote must be records that end where they
 * say, in the order of the calls, with as many elements; on a device that becomes full it must end
 * there. The same calls are made of the text writer. SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "../unit/heapcheck.h"
#include "base/rd.h"
#include "base/sink.h"
#include "format/hprof_heap.h"
#include "format/hprof_split.h"
#include "fuzz.h"

enum {
    ROOM = 16 << 20,
    BUFFER = 8 << 10, /* so that an array which is longer than the buffer is soon written */
    CALLS = 2000,
    FIELDS = 6,
    LONG = BUFFER / 4 + 11, /* elements, once a run */
    SHORT = 600,
};

/* What a call should leave in the file. */
struct expected {
    int tag;
    uint64_t id;
    uint32_t trace, count;
};

static struct state {
    unsigned char bytes[ROOM];
    size_t len, room;
    struct expected expected[CALLS];
    uint32_t calls, seen;
} st;
static unsigned char buffer[BUFFER];
static unsigned char elements[LONG * 8];
static uint64_t ids[LONG];

static void must(int condition)
{
    if (!condition)
        abort();
}

static int take(void *to, const unsigned char *bytes, size_t len)
{
    if (len > st.room - st.len)
        return -ENOSPC;
    memcpy(st.bytes + st.len, bytes, len);
    st.len += len;
    return 0;
}

static void expect(int tag, uint64_t id, uint32_t trace, uint32_t count)
{
    st.expected[st.calls++] = (struct expected){tag, id, trace, count};
}

static enum hprof_heap_type type_of(uint8_t byte)
{
    return byte % 9 == 0 ? HPROF_OBJECT : (enum hprof_heap_type)(HPROF_BOOLEAN + byte % 9 - 1);
}

/* A class and a superclass with fields of any types. */
static void make_class(struct rd *in, const struct hprof_heap *h, struct hprof_heap_class *k,
                       struct hprof_heap_field *fields, struct hprof_heap_class *super)
{
    *k = (struct hprof_heap_class){
        .object = rd_u4(in), .name = "C", .super = super, .fields = fields, .statics = fields};
    k->field_count = rd_u1(in) % FIELDS;
    k->static_count = rd_u1(in) % FIELDS;
    k->instance_bytes = super ? super->instance_bytes : 0;
    for (uint32_t i = 0; i < FIELDS; i++)
        fields[i] = (struct hprof_heap_field){rd_u1(in), "f", type_of(rd_u1(in)), rd_u1(in)};
    for (uint32_t i = 0; i < k->field_count; i++)
        k->instance_bytes += hprof_heap_size(fields[i].type, h->id_bytes);
}

static void write_array(struct rd *in, struct hprof_heap *h, struct hprof_heap_object *o,
                        bool *is_long_left)
{
    uint32_t kind = rd_u1(in), count = rd_u2(in), piece = rd_u2(in) % 1024 + 1;
    enum hprof_heap_type type = (enum hprof_heap_type)(HPROF_BOOLEAN + kind / 2 % 8);
    if (count == UINT16_MAX && *is_long_left) {
        *is_long_left = false;
        count = LONG;
    } else {
        count %= SHORT;
    }
    if (kind % 2) {
        expect(0x23, o->id, o->trace, count);
        h->ops->primitives(h, o, type, count, elements);
        return;
    }
    expect(0x22, o->id, o->trace, count);
    h->ops->objects(h, o, count);
    for (uint32_t done = 0; done < count; done += piece)
        h->ops->elements(h, ids + done, count - done < piece ? count - done : piece);
}

static void write_root(struct rd *in, struct hprof_heap *h, struct hprof_heap_object *o)
{
    static const enum hprof_root_kind kinds[] = {HPROF_ROOT_UNKNOWN,      HPROF_ROOT_JNI_GLOBAL,
                                                 HPROF_ROOT_JNI_LOCAL,    HPROF_ROOT_JAVA_FRAME,
                                                 HPROF_ROOT_SYSTEM_CLASS, HPROF_ROOT_THREAD_BLOCK,
                                                 HPROF_ROOT_MONITOR,      HPROF_ROOT_THREAD};
    struct hprof_heap_root r = {.kind = kinds[rd_u1(in) % 8], .object = o->id, .name = NULL};
    expect((int)r.kind, r.object, 0, 0);
    h->ops->root(h, &r);
}

static void write_heap(struct rd *in, struct hprof_heap *h)
{
    struct hprof_heap_field fields[2 * FIELDS];
    struct hprof_heap_class super, klass;
    uint64_t values[2 * FIELDS] = {1, 2, 3};
    bool is_long_left = true;
    make_class(in, h, &super, fields, NULL);
    make_class(in, h, &klass, fields + FIELDS, &super);
    h->ops->begin(h, 1, 1);
    while (rd_left(in) > 0 && st.calls < CALLS) {
        uint8_t call = rd_u1(in);
        struct hprof_heap_object o = {
            .id = rd_u2(in), .bytes = 8, .trace = rd_u1(in), .klass = &klass};
        if (call % 4 == 0) {
            write_root(in, h, &o);
        } else if (call % 4 == 1) {
            expect(0x20, klass.object, 0, klass.field_count);
            h->ops->klass(h, &klass);
        } else if (call % 4 == 2) {
            expect(0x21, o.id, o.trace, klass.instance_bytes);
            h->ops->instance(h, &o, values);
        } else {
            write_array(in, h, &o, &is_long_left);
        }
    }
    h->ops->end(h);
}

/* The reader that the writer's description makes finds the same objects. */
static void check_records(const struct heapcheck_thing *t, unsigned id_bytes)
{
    struct heap_record r;
    struct rd in;
    rd_init(&in, t->start, ROOM);
    must(heap_record_take(&in, id_bytes, &r) == t->tag);
    must(in.pos == heap_record_bytes(t->tag, id_bytes) && !in.error);
    must(r.object == t->id);
    must(t->tag != HEAP_RECORD_INSTANCE || (r.bytes == t->count && r.klass == t->klass));
    must(t->tag != HEAP_RECORD_CLASS || (r.super == t->klass && r.bytes == t->number));
    must((t->tag != HEAP_RECORD_OBJECTS && t->tag != HEAP_RECORD_PRIMITIVES) ||
         r.count == t->count);
    must(t->tag < HEAP_RECORD_CLASS || t->tag > HEAP_RECORD_PRIMITIVES || r.trace == t->trace);
}

static void compare(void *arg, const struct heapcheck_thing *t)
{
    const struct expected *e = &st.expected[st.seen];
    if (t->tag > 0x100) /* of one object there may be more */
        return;
    must(st.seen < st.calls && t->tag == e->tag && t->id == e->id && t->count == e->count);
    must(t->tag < 0x20 || t->tag == 0xff || t->trace == e->trace);
    check_records(t, *(const uint32_t *)arg);
    st.seen++;
}

/* The pieces that pass through a socket are the same records. */
static void check_split(void)
{
    static const unsigned char head[] = "JAVA PROFILE 1.0.2\0\0\0\0\10\0\0\0\0\0\0\0";
    struct hprof_split s = {.format = 0};
    bool is_end = false;
    must(hprof_split_take(&s, head, sizeof(head), &is_end) == sizeof(head) && is_end);
    for (size_t at = 0; at < st.len;)
        at += hprof_split_take(&s, st.bytes + at, st.len - at, &is_end);
    must(is_end && s.tag == 0x2c);
}

static void run(const uint8_t *bytes, size_t len, const struct hprof_heap_ops *ops, size_t room)
{
    struct sink sink;
    struct rd in;
    struct hprof_heap h = {.ops = ops,
                           .sink = &sink,
                           .buffer = buffer,
                           .buffer_bytes = sizeof(buffer),
                           .has_segments = 1};
    rd_init(&in, bytes, len);
    h.id_bytes = rd_u1(&in) % 2 ? 4 : 8;
    st.len = st.calls = st.seen = 0;
    st.room = room;
    must(sink_init_taker(&sink, take, NULL) == 0);
    write_heap(&in, &h);
    sink_done(&sink);
    must(h.error == 0);
    if (room == ROOM && ops == &hprof_heap_bin) {
        must(heapcheck_read(st.bytes, st.len, h.id_bytes, compare, &h.id_bytes) == 0);
        must(st.seen == st.calls);
        check_split();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    size_t whole;
    run(bytes, len, &hprof_heap_bin, ROOM);
    whole = st.len;
    run(bytes, len, &hprof_heap_text, ROOM);
    run(bytes, len, &hprof_heap_bin, len > 0 ? whole * bytes[len - 1] / 256 : 0);
    must(st.len < whole);
    return 0;
}
