/*
 * hprof_heap_bin.c - the heap dump records of a binary HPROF file.
 *
 * Version 1.0.2: HEAP DUMP SEGMENT records of up to two megabytes. An object that is longer has a
 * segment of its own. HEAP DUMP END is the last record. No byte is written twice, so the target may
 * be a socket. Version 1.0.1: one HEAP DUMP record, whose length is filled in at its end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include "base/err.h"
#include "base/pair.h"
#include "base/sink.h"
#include "format/hprof_bin.h"
#include "format/hprof_heap.h"
#include "format/hprof_heap_copy.h"

/* HotSpot's own dumps have the same limit: heapDumper.cpp. */
static const uint64_t record_max = UINT32_MAX;

static void put_head(struct hprof_heap *h, enum hprof_bin_tag tag, uint32_t body_bytes)
{
    hprof_bin_head_to(h->sink, h->created_ms, tag, body_bytes);
}

static void put_sink_id(struct hprof_heap *h, uint64_t id)
{
    if (h->id_bytes == 8)
        sink_u8(h->sink, id);
    else
        sink_u4(h->sink, (uint32_t)id);
}

/* Writes what is in the buffer; if the version has segments, as a segment. */
void hprof_heap_bin_flush(struct hprof_heap *h)
{
    if (h->used == 0)
        return;
    pair_take(h->lock);
    if (h->has_segments)
        put_head(h, HPROF_BIN_HEAP_SEGMENT, (uint32_t)h->used);
    sink_bytes(h->sink, h->buffer, h->used);
    pair_give(h->lock);
    h->used = 0;
}

/* Makes room for a record of `bytes`. Returns false if the buffer is too small for it. */
static bool room(struct hprof_heap *h, uint64_t bytes)
{
    if (bytes > h->buffer_bytes)
        return false;
    if (bytes > h->buffer_bytes - h->used)
        hprof_heap_bin_flush(h);
    return true;
}

/* The place of the next byte, and how far the buffer has been filled. */
static inline unsigned char *place(const struct hprof_heap *h)
{
    return h->buffer + h->used;
}

static inline void written_to(struct hprof_heap *h, const unsigned char *end)
{
    h->used = (size_t)(end - h->buffer);
}

static inline void put1(struct hprof_heap *h, uint8_t v)
{
    written_to(h, be_put1(place(h), v));
}

static inline void put2(struct hprof_heap *h, uint32_t v)
{
    written_to(h, be_put2(place(h), (uint16_t)v));
}

static inline void put_id(struct hprof_heap *h, uint64_t id)
{
    written_to(h, be_put_id(place(h), id, h->id_bytes));
}

static inline void put_record(struct hprof_heap *h, enum heap_record_tag tag,
                              const struct heap_record *r)
{
    written_to(h, heap_record_put(place(h), tag, r, h->id_bytes));
}

static inline void put_value(struct hprof_heap *h, enum hprof_heap_type type, uint64_t v)
{
    unsigned char *to = place(h);
    switch (hprof_heap_size(type, h->id_bytes)) {
    case 1:
        to = be_put1(to, (uint8_t)v);
        break;
    case 2:
        to = be_put2(to, (uint16_t)v);
        break;
    case 4:
        to = be_put4(to, (uint32_t)v);
        break;
    default:
        to = be_put8(to, v);
        break;
    }
    written_to(h, to);
}

static void bin_string(struct hprof_heap *h, uint64_t id, const char *bytes, size_t len)
{
    put_head(h, HPROF_BIN_UTF8, h->id_bytes + (uint32_t)len);
    put_sink_id(h, id);
    sink_bytes(h->sink, bytes, len);
}

static void bin_load_class(struct hprof_heap *h, const struct hprof_heap_class *k, uint64_t name_id)
{
    put_head(h, HPROF_BIN_LOAD_CLASS, 8 + 2 * h->id_bytes);
    sink_u4(h->sink, k->serial);
    put_sink_id(h, k->object);
    sink_u4(h->sink, k->trace);
    put_sink_id(h, name_id);
}

static void bin_begin(struct hprof_heap *h, uint64_t objects, uint64_t bytes)
{
    if (h->has_segments)
        return;
    put_head(h, HPROF_BIN_HEAP_DUMP, 0);
    h->record_at = sink_position(h->sink) - 4;
}

static void bin_root(struct hprof_heap *h, const struct hprof_heap_root *r)
{
    const struct heap_record record = {.object = r->object,
                                       .reference = r->reference,
                                       .thread = r->thread,
                                       .trace = r->trace,
                                       .frame = (uint32_t)r->frame};
    room(h, heap_record_bytes(r->kind, h->id_bytes));
    put_record(h, (enum heap_record_tag)r->kind, &record);
}

static void bin_klass(struct hprof_heap *h, const struct hprof_heap_class *k)
{
    uint64_t most = heap_record_bytes(HEAP_RECORD_CLASS, h->id_bytes) + 3 * 2 +
                    (uint64_t)k->constant_count * 11 + (uint64_t)k->static_count * 17 +
                    (uint64_t)k->field_count * 9;
    if (!room(h, most)) { /* a class file cannot have that many */
        h->error = h->error ? h->error : E_LIMIT;
        return;
    }
    const struct heap_record record = {.object = k->object,
                                       .trace = k->trace,
                                       .super = k->super ? k->super->object : 0,
                                       .loader = k->loader,
                                       .signers = k->signers,
                                       .domain = k->domain,
                                       .bytes = k->instance_bytes};

    put_record(h, HEAP_RECORD_CLASS, &record);
    put2(h, k->constant_count);
    for (uint32_t i = 0; i < k->constant_count; i++) {
        put2(h, k->constants[i].index);
        put1(h, HPROF_OBJECT);
        put_id(h, k->constants[i].object);
    }
    put2(h, k->static_count);
    for (uint32_t i = 0; i < k->static_count; i++) {
        put_id(h, k->statics[i].name_id);
        put1(h, k->statics[i].type);
        put_value(h, k->statics[i].type, k->statics[i].value);
    }
    put2(h, k->field_count);
    for (uint32_t i = 0; i < k->field_count; i++) {
        put_id(h, k->fields[i].name_id);
        put1(h, k->fields[i].type);
    }
}

/* Makes room for the head of an object's record, which has `bytes` in all. A record that is too
 * long for the buffer becomes a segment of its own. It stays open, and this writer keeps the lock
 * of the sink, until end_record(). */
static void begin_record(struct hprof_heap *h, uint64_t bytes)
{
    h->record_is_open = !room(h, bytes);
    if (!h->record_is_open)
        return;
    hprof_heap_bin_flush(h);
    pair_take(h->lock);
    if (h->has_segments)
        put_head(h, HPROF_BIN_HEAP_SEGMENT, (uint32_t)bytes);
}

static void empty_buffer(struct hprof_heap *h)
{
    sink_bytes(h->sink, h->buffer, h->used);
    h->used = 0;
}

/* Makes room for a value. Within a record that is longer than the buffer, no new segment begins. */
static inline void value_room(struct hprof_heap *h, uint32_t bytes)
{
    if (h->record_is_open && bytes > h->buffer_bytes - h->used)
        empty_buffer(h);
}

static void end_record(struct hprof_heap *h)
{
    if (h->record_is_open) {
        empty_buffer(h);
        pair_give(h->lock);
    }
    h->record_is_open = false;
}

/* The record of an instance, without its id. */
static struct heap_record record_of(const struct hprof_heap_class *k)
{
    return (struct heap_record){.trace = k->trace, .klass = k->object, .bytes = k->instance_bytes};
}

static void bin_instance(struct hprof_heap *h, const struct hprof_heap_object *o,
                         const uint64_t *values)
{
    struct heap_record record = record_of(o->klass);
    record.object = o->id;
    record.trace = o->trace;
    begin_record(h, heap_record_bytes(HEAP_RECORD_INSTANCE, h->id_bytes) + (uint64_t)record.bytes);
    put_record(h, HEAP_RECORD_INSTANCE, &record);
    for (const struct hprof_heap_class *k = o->klass; k; k = k->super) {
        for (uint32_t i = 0; i < k->field_count; i++) {
            value_room(h, 8);
            put_value(h, k->fields[i].type, *values++);
        }
    }
    end_record(h);
}

void hprof_heap_bin_copy(const struct hprof_heap *h, const struct hprof_heap_class *k,
                         struct hprof_heap_copy *ret_copy)
{
    const struct heap_record record = record_of(k);
    heap_record_put(ret_copy->head, HEAP_RECORD_INSTANCE, &record, h->id_bytes);
    ret_copy->values = k->values;
    ret_copy->count = k->value_count;
    ret_copy->has_zeros = false;
    for (uint32_t i = 0; i < k->value_count; i++)
        ret_copy->has_zeros |= k->values[i].is_zeroed;
    ret_copy->room_bytes = heap_record_bytes(HEAP_RECORD_INSTANCE, h->id_bytes) + k->instance_bytes;
    if (ret_copy->room_bytes < HPROF_HEAP_COPY_HEAD)
        ret_copy->room_bytes = HPROF_HEAP_COPY_HEAD;
}

static void note_cut(struct hprof_heap *h, const struct hprof_heap_object *o,
                     enum hprof_heap_type type, uint32_t full, uint32_t written)
{
    struct hprof_heap_cuts *c = &h->cuts;
    const char *name = o->klass ? o->klass->name : heap_record_array_name(type);
    if (c->count < HPROF_HEAP_CUTS) {
        struct hprof_heap_cut *to = &c->first[c->count];
        *to = (struct hprof_heap_cut){.object = o->id, .full = full, .written = written};
        for (size_t i = 0; i + 1 < sizeof(to->name) && name && name[i]; i++)
            to->name[i] = name[i];
    }
    c->count++;
}

/* Begins the record of an array. Returns how many of its elements fit into a record. */
static uint32_t begin_array(struct hprof_heap *h, enum heap_record_tag tag,
                            const struct hprof_heap_object *o, uint32_t count,
                            uint32_t element_bytes, enum hprof_heap_type type)
{
    uint64_t head = heap_record_bytes(tag, h->id_bytes);
    struct heap_record record = {.object = o->id, .trace = o->trace, .type = (uint8_t)type};
    if ((uint64_t)count * element_bytes > record_max - head) {
        uint32_t full = count;
        count = (uint32_t)((record_max - head) / element_bytes);
        note_cut(h, o, type, full, count);
    }
    record.count = count;
    record.klass = o->klass ? o->klass->object : 0;
    begin_record(h, head + (uint64_t)count * element_bytes);
    put_record(h, tag, &record);
    h->left_open = count;
    return count;
}

static void bin_objects(struct hprof_heap *h, const struct hprof_heap_object *o, uint32_t count)
{
    begin_array(h, HEAP_RECORD_OBJECTS, o, count, h->id_bytes, HPROF_OBJECT);
}

static void bin_elements(struct hprof_heap *h, const uint64_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count && h->left_open > 0; i++, h->left_open--) {
        value_room(h, h->id_bytes);
        put_id(h, ids[i]);
    }
    if (h->left_open == 0)
        end_record(h);
}

/* How many of `count` elements of `bytes` each fit into the buffer. If none fits, the buffer is
 * emptied first. */
static uint32_t piece_of(struct hprof_heap *h, uint32_t count, uint32_t bytes)
{
    value_room(h, bytes);
    size_t most = (h->buffer_bytes - h->used) / bytes;
    return count < most ? count : (uint32_t)most;
}

static void bin_elements_at(struct hprof_heap *h, const unsigned char *memory, uint32_t count)
{
    const struct hprof_heap_refs refs = h->refs;
    uint32_t id_bytes = h->id_bytes;
    if (count > h->left_open)
        count = (uint32_t)h->left_open;
    while (count > 0) {
        uint32_t n = piece_of(h, count, id_bytes);
        unsigned char *to = h->buffer + h->used;
        for (uint32_t i = 0; i < n; i++, memory += refs.bytes)
            to = hprof_heap_copy_reference(&refs, id_bytes, to, memory);
        h->used = (size_t)(to - h->buffer);
        count -= n;
    }
    h->left_open = 0;
    end_record(h);
}

static void put_zeros(struct hprof_heap *h, uint64_t bytes)
{
    while (bytes > 0) {
        value_room(h, 1);
        size_t room = h->buffer_bytes - h->used;
        size_t n = bytes < room ? (size_t)bytes : room;
        memset(h->buffer + h->used, 0, n);
        h->used += n;
        bytes -= n;
    }
}

/* Writes elements that have more than one byte each. */
static void put_numbers(struct hprof_heap *h, const unsigned char *bytes, uint32_t size,
                        uint32_t count)
{
    while (count > 0) {
        uint32_t n = piece_of(h, count, size);
        unsigned char *to = h->buffer + h->used;
        for (uint32_t i = 0; size == 2 && i < n; i++, bytes += 2)
            to = hprof_heap_copy2(to, bytes);
        for (uint32_t i = 0; size == 4 && i < n; i++, bytes += 4)
            to = hprof_heap_copy4(to, bytes);
        for (uint32_t i = 0; size == 8 && i < n; i++, bytes += 8)
            to = hprof_heap_copy8(to, bytes);
        h->used = (size_t)(to - h->buffer);
        count -= n;
    }
}

static void bin_primitives(struct hprof_heap *h, const struct hprof_heap_object *o,
                           enum hprof_heap_type type, uint32_t count, const unsigned char *bytes)
{
    uint32_t size = hprof_heap_size(type, h->id_bytes);
    count = begin_array(h, HEAP_RECORD_PRIMITIVES, o, count, size, type);
    if (!bytes) {
        put_zeros(h, (uint64_t)count * size);
    } else if (size == 1 && h->record_is_open) {
        empty_buffer(h);
        sink_bytes(h->sink, bytes, count);
    } else if (size == 1) {
        memcpy(h->buffer + h->used, bytes, count);
        h->used += count;
    }
    if (bytes && size > 1)
        put_numbers(h, bytes, size, count);
    end_record(h);
}

static void bin_left_out(struct hprof_heap *h, const struct hprof_heap_object *o,
                         enum hprof_heap_type type, uint32_t count)
{
    const struct heap_record record = {
        .object = o->id, .trace = o->trace, .count = count, .type = (uint8_t)type};
    begin_record(h, heap_record_bytes(HEAP_RECORD_PRIMITIVES_LEFT_OUT, h->id_bytes));
    put_record(h, HEAP_RECORD_PRIMITIVES_LEFT_OUT, &record);
    end_record(h);
}

static void bin_end(struct hprof_heap *h)
{
    hprof_heap_bin_flush(h);
    if (h->has_segments) {
        put_head(h, HPROF_BIN_HEAP_DUMP_END, 0);
        return;
    }
    uint64_t body = sink_position(h->sink) - h->record_at - 4;
    uint32_t big = __builtin_bswap32((uint32_t)body);
    int error =
        body > UINT32_MAX ? E_LIMIT : sink_rewrite(h->sink, h->record_at, &big, sizeof(big));
    if (error && !h->error)
        h->error = error;
}

const struct hprof_heap_ops hprof_heap_bin = {
    .string = bin_string,
    .load_class = bin_load_class,
    .begin = bin_begin,
    .root = bin_root,
    .klass = bin_klass,
    .instance = bin_instance,
    .objects = bin_objects,
    .elements = bin_elements,
    .elements_at = bin_elements_at,
    .primitives = bin_primitives,
    .left_out = bin_left_out,
    .end = bin_end,
};
