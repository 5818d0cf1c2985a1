/*
 * question_direct.c - native memory that small objects hold: direct buffers, mapped files, memory
 * segments.
 *
 * Who owns memory knows its size: an object of one of the classes below, which a Cleaner frees. A
 * direct buffer that is a part or a view of another one owns nothing. What Bits counts is the limit
 * -XX:MaxDirectMemorySize's side of the same.
 * Source: java.base/java/nio/Bits.java, Direct-X-Buffer.java.template,
 * sun/nio/ch/FileChannelImpl.java of JDK 8 to 28. SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "heap/heapanswer.h"
#include "heap/objfield.h"
#include "heap/objname.h"
#include "heap/question.h"

/* Classes whose objects own native memory. */
static const struct owner_kind {
    const char *name, *size, *what;
} kinds[] = {
    {"java.nio.DirectByteBuffer$Deallocator", "size capacity", "direct buffers"},
    {"sun.nio.ch.FileChannelImpl$Unmapper", "size", "mapped files"},
    {"jdk.internal.foreign.MappedMemorySegmentImpl", "length", "mapped memory segments"},
    {"jdk.internal.foreign.NativeMemorySegmentImpl", "length", "native memory segments"},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), OWNERS_MAX = 1000 };

/* Fields of one class of the dump. */
struct known {
    int8_t kind;    /* index of `kinds`; -1: none */
    bool is_buffer; /* a direct buffer */
    struct objfield size, capacity, cleaner;
};

struct owner {
    graph_object object;
    uint64_t bytes;
    int kind;
};

struct direct {
    struct question_asked *asked;
    struct heapanswer answer;
    struct known *classes;
    uint64_t count[KINDS], bytes[KINDS];
    uint64_t buffers, buffer_bytes, views;
    struct owner owners[OWNERS_MAX]; /* the largest buffers and segments, sorted */
    uint32_t owner_count;
};

static void find_kinds(struct direct *d)
{
    struct graph *g = d->asked->graph;
    graph_class buffer = graph_class_named(g, "java.nio.DirectByteBuffer"), owners[KINDS];
    for (int i = 0; i < KINDS; i++)
        owners[i] = graph_class_named(g, kinds[i].name);
    for (graph_class k = 0; k < graph_class_count(g); k++) {
        struct known *known = &d->classes[k];
        known->kind = -1;
        known->is_buffer = buffer != GRAPH_NO_CLASS && graph_class_is_a(g, k, buffer);
        known->capacity = objfield_find(g, k, "capacity");
        known->cleaner = objfield_find(g, k, "cleaner");
        for (int i = 0; i < KINDS; i++) {
            graph_class owner = owners[i];
            if (owner == GRAPH_NO_CLASS || !graph_class_is_a(g, k, owner))
                continue;
            known->kind = (int8_t)i;
            known->size = objfield_find_any(g, k, kinds[i].size);
        }
    }
}

static void keep(struct direct *d, struct owner owner)
{
    uint32_t most = d->asked->rows < OWNERS_MAX ? d->asked->rows : OWNERS_MAX;
    if (most == 0 || (d->owner_count == most && d->owners[most - 1].bytes >= owner.bytes))
        return;
    uint32_t at = d->owner_count < most ? d->owner_count++ : most - 1;
    for (; at > 0 && d->owners[at - 1].bytes < owner.bytes; at--)
        d->owners[at] = d->owners[at - 1];
    d->owners[at] = owner;
}

static void see_buffer(struct direct *d, const struct known *known, const struct graph_info *object)
{
    struct graph_value cleaner, capacity;
    bool owns = objfield_read(d->asked->graph, object, known->cleaner, &cleaner) &&
                cleaner.object != GRAPH_NONE;
    if (!owns) {
        d->views++;
        return;
    }
    objfield_read(d->asked->graph, object, known->capacity, &capacity);
    d->buffers++;
    d->buffer_bytes += capacity.bits & UINT32_MAX;
    keep(d, (struct owner){object->number, capacity.bits & UINT32_MAX, -1});
}

static bool visit(void *with, const struct graph_info *object)
{
    struct direct *d = with;
    struct graph_value size;
    if (object->kind != GRAPH_INSTANCE || object->klass >= graph_class_count(d->asked->graph))
        return true;
    const struct known *known = &d->classes[object->klass];
    if (known->is_buffer)
        see_buffer(d, known, object);
    if (known->kind < 0 || !objfield_read(d->asked->graph, object, known->size, &size))
        return true;
    d->count[known->kind]++;
    d->bytes[known->kind] += size.bits;
    if (strstr(kinds[known->kind].what, "segment"))
        keep(d, (struct owner){object->number, size.bits, known->kind});
    return true;
}

/* The counters of java.nio.Bits, whose names and types differ between JDKs. */
static bool take_bits(void *with, const struct graph_field *field, graph_class declared_in,
                      const struct graph_value *value)
{
    static const struct {
        const char *name, *key, *title;
    } counters[] = {
        {"RESERVED_MEMORY", "reserved_bytes", "reserved for direct buffers, says java.nio.Bits"},
        {"reservedMemory", "reserved_bytes", "reserved for direct buffers, says java.nio.Bits"},
        {"MAX_MEMORY", "limit_bytes", "limit"},
        {"maxMemory", "limit_bytes", "limit"},
    };
    struct direct *d = with;
    struct graph_value inner = *value;
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        if (strcmp(counters[i].name, field->name) != 0)
            continue;
        if (value->type == GRAPH_TYPE_OBJECT &&
            (value->object == GRAPH_NONE ||
             graph_value_of(d->asked->graph, value->object, "value", &inner) < 0))
            continue;
        heapanswer_fact(&d->answer, counters[i].key, counters[i].title, HEAPANSWER_BYTES,
                        inner.bits);
    }
    return true;
}

static void put_bits(struct direct *d)
{
    struct graph *g = d->asked->graph;
    graph_class k = graph_class_named(g, "java.nio.Bits");
    if (k != GRAPH_NO_CLASS && graph_class_at(g, k)->object != GRAPH_NONE)
        graph_each_field(g, graph_class_at(g, k)->object, take_bits, d);
}

static void put_kinds(struct direct *d)
{
    static const struct heapanswer_column columns[] = {
        {"owners", "owners", HEAPANSWER_COUNT, 0},
        {"native_bytes", "native", HEAPANSWER_BYTES, 0},
        {"what", "what", HEAPANSWER_NAME, 24},
        {"class", "class that frees it", HEAPANSWER_NAME, 0},
    };
    heapanswer_table(&d->answer, "kinds", "native memory, by who frees it", columns, 4);
    for (int i = 0; i < KINDS; i++) {
        if (d->count[i] == 0)
            continue;
        heapanswer_number(&d->answer, d->count[i]);
        heapanswer_number(&d->answer, d->bytes[i]);
        heapanswer_text(&d->answer, kinds[i].what);
        heapanswer_text(&d->answer, kinds[i].name);
    }
    heapanswer_table_end(&d->answer, "no object of a class that is known owns native memory");
}

static void put_owners(struct direct *d)
{
    static const struct heapanswer_column columns[] = {
        {"native_bytes", "native", HEAPANSWER_BYTES, 0},
        {"retained_bytes", "retained", HEAPANSWER_BYTES, 0},
        {"id", "id", HEAPANSWER_ID, 0},
        {"is_reachable", "held", HEAPANSWER_NAME, 6},
        {"object", "object", HEAPANSWER_NAME, 0},
    };
    struct graph *g = d->asked->graph;
    char name[OBJNAME_ROOM];
    if (d->owner_count == 0 && !d->asked->is_json)
        return;
    heapanswer_table(&d->answer, "largest", "the largest", columns, 5);
    for (uint32_t i = 0; i < d->owner_count; i++) {
        const struct owner *o = &d->owners[i];
        heapanswer_number(&d->answer, o->bytes);
        heapanswer_number(&d->answer, graph_retained(g, o->object));
        heapanswer_number(&d->answer, graph_id(g, o->object));
        heapanswer_text(&d->answer, graph_is_reachable(g, o->object) ? "yes" : "no");
        heapanswer_text(&d->answer, objname_of(g, o->object, name));
    }
    heapanswer_table_end(&d->answer, NULL);
}

static int answer_direct(struct question_asked *asked)
{
    struct direct *d = calloc(1, sizeof(*d));
    if (!d)
        return E_LIMIT;
    d->asked = asked;
    d->classes = calloc((size_t)graph_class_count(asked->graph) + 1, sizeof(*d->classes));
    int error = d->classes ? 0 : E_LIMIT;
    if (error == 0) {
        find_kinds(d);
        error = graph_each_object(asked->graph, visit, d);
    }
    if (error == 0) {
        heapanswer_begin(&d->answer, asked, "direct");
        heapanswer_fact(&d->answer, "buffers", "direct and mapped buffers that own memory",
                        HEAPANSWER_COUNT, d->buffers);
        heapanswer_fact(&d->answer, "buffer_bytes", "their native memory", HEAPANSWER_BYTES,
                        d->buffer_bytes);
        heapanswer_fact(&d->answer, "views", "parts and views of other buffers", HEAPANSWER_COUNT,
                        d->views);
        put_bits(d);
        put_kinds(d);
        put_owners(d);
        heapanswer_end(&d->answer);
    }
    free(d->classes);
    free(d);
    return error;
}

const struct question question_direct = {
    .name = "direct",
    .help = "Native memory of direct buffers, mapped files and memory segments",
    .needs_dominators = true,
    .answer = answer_direct,
};
