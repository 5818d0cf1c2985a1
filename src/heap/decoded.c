/*
 * decoded.c - see decoded.h.
 *
 * Sources: java/lang/String.java, java/util/Optional*.java, java/nio/Buffer.java and
 * X-Buffer.java.template of JDK 8 to 28.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/decoded.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/plural.h"
#include "heap/collectwalk.h"
#include "heap/heapanswer.h"
#include "heap/objname.h"
#include "heap/objvalue.h"

enum { TEXT_BYTES = 4096, SHOWN_BYTES = 64 };

struct decoding {
    struct heapanswer *answer;
    struct graph *g;
    const struct graph_info *object;
    const struct decoded_how *how;
    uint64_t shown; /* elements */
    bool is_map;
};

typedef int decoder(struct decoding *d);

static void begin(struct decoding *d, const char *kind)
{
    heapanswer_object(d->answer, "decoded");
    heapanswer_fact_text(d->answer, "kind", NULL, kind);
}

static void end(struct decoding *d)
{
    heapanswer_object_end(d->answer);
}

static bool value_of(struct decoding *d, const char *field, struct graph_value *ret_value)
{
    return graph_value_of(d->g, d->object->number, field, ret_value) == 0;
}

/* ---- String */

static int decode_string(struct decoding *d)
{
    char text[TEXT_BYTES];
    uint64_t chars = 0;
    int64_t len = graph_text(d->g, d->object->number, text, sizeof(text), &chars);
    if (len < 0)
        return 0; /* its array is not in the dump */
    begin(d, "string");
    heapanswer_fact(d->answer, "characters", NULL, HEAPANSWER_COUNT, chars);
    heapanswer_fact_bool(d->answer, "is_cut", (size_t)len + 4 > sizeof(text));
    end(d);
    if (!d->how->with_values) {
        heapanswer_say(d->answer, "  a string of %" PRIu64 " character%s", chars, plural_s(chars));
        return 0;
    }
    heapanswer_say(d->answer, "  %" PRIu64 " character%s:", chars, plural_s(chars));
    heapanswer_fact_text(d->answer, "text", "  text", text);
    return 0;
}

/* ---- a value in an object of its own */

static int decode_value(struct decoding *d)
{
    static const struct heapanswer_column columns[] = {{"value", "", HEAPANSWER_NAME, 0}};
    struct graph_value value, present;
    if (!value_of(d, "value", &value))
        return 0;
    bool is_optional =
        strncmp(objname_class(d->g, d->object->klass), "java.util.Optional", 18) == 0;
    bool is_empty = is_optional && (value_of(d, "isPresent", &present)
                                        ? present.bits == 0
                                        : value.type == GRAPH_TYPE_OBJECT && value.bits == 0);
    begin(d, is_optional ? "optional" : "value");
    if (is_optional)
        heapanswer_fact_bool(d->answer, "is_present", !is_empty);
    if (is_empty) {
        heapanswer_say(d->answer, "  empty");
    } else {
        heapanswer_table(d->answer, "values", "value", columns, 1);
        objvalue_put_cell(d->answer, d->g, &value, d->how->with_values);
        heapanswer_table_end(d->answer, NULL);
    }
    end(d);
    return 0;
}

/* ---- buffers */

/* The first bytes of a ByteBuffer on the heap, from its position on. */
static void put_bytes(struct decoding *d, graph_object array, uint64_t first, uint64_t count)
{
    char hex[SHOWN_BYTES * 3 + 1] = "";
    struct graph_info info;
    size_t len = 0;
    if (graph_look(d->g, array, &info) < 0 || info.element_type != GRAPH_TYPE_BYTE ||
        first > info.count)
        return;
    count = count < info.count - first ? count : info.count - first;
    count = count < SHOWN_BYTES ? count : SHOWN_BYTES;
    const unsigned char *bytes = graph_value_see(d->g, info.at + first, (size_t)count);
    for (uint64_t i = 0; bytes && i < count; i++)
        len += (size_t)snprintf(hex + len, sizeof(hex) - len, i == 0 ? "%02x" : " %02x", bytes[i]);
    if (len > 0)
        heapanswer_fact_text(d->answer, "bytes", "the next bytes", hex);
}

static int decode_buffer(struct decoding *d)
{
    static const char *const fields[] = {"capacity", "limit", "position"};
    struct graph_value value, array = {.object = GRAPH_NONE}, offset = {0};
    uint64_t numbers[3] = {0};
    const char *name = objname_class(d->g, d->object->klass);
    bool is_direct = strstr(name, "Direct") != NULL;
    begin(d, "buffer");
    for (int i = 0; i < 3; i++) {
        if (!value_of(d, fields[i], &value))
            continue;
        numbers[i] = value.bits;
        heapanswer_fact(d->answer, fields[i], fields[i], HEAPANSWER_CHANGE_COUNT, value.bits);
    }
    heapanswer_fact_bool(d->answer, "is_direct", is_direct);
    if (is_direct && value_of(d, "address", &value))
        heapanswer_fact(d->answer, "address", "native memory at", HEAPANSWER_ID, value.bits);
    if (is_direct && value_of(d, "att", &value) && value.object != GRAPH_NONE) {
        char of[OBJNAME_ROOM];
        heapanswer_fact_text(d->answer, "view_of", "a part or view of",
                             objname_full(d->g, value.object, of));
    }
    if (d->how->with_values && value_of(d, "hb", &array) && array.object != GRAPH_NONE &&
        numbers[1] >= numbers[2]) {
        (void)value_of(d, "offset", &offset);
        put_bytes(d, array.object, offset.bits + numbers[2], numbers[1] - numbers[2]);
    }
    end(d);
    return 0;
}

/* ---- classes */

static int decode_class(struct decoding *d)
{
    const struct graph_class_info *c = graph_class_at(d->g, d->object->self);
    char loader[OBJNAME_ROOM];
    begin(d, "class");
    heapanswer_fact_text(d->answer, "loader", "loaded by", objname_loader(d->g, c->loader, loader));
    if (c->super != GRAPH_NO_CLASS)
        heapanswer_fact_text(d->answer, "superclass", "superclass", objname_class(d->g, c->super));
    if (!c->is_array)
        heapanswer_fact(d->answer, "instance_bytes", "size of an instance", HEAPANSWER_BYTES,
                        c->instance_bytes);
    end(d);
    return 0;
}

/* ---- collections */

static const struct heapanswer_column entry_columns[] = {
    {"key", "key", HEAPANSWER_NAME, 48},
    {"value", "value", HEAPANSWER_NAME, 0},
};
static const struct heapanswer_column element_columns[] = {
    {NULL, "", HEAPANSWER_COUNT, 0},
    {"", "element", HEAPANSWER_NAME, 0},
};

static void put_object(struct decoding *d, graph_object object)
{
    struct graph_value value = {.type = GRAPH_TYPE_OBJECT,
                                .bits = object == GRAPH_NONE ? 0 : graph_id(d->g, object),
                                .object = object};
    objvalue_put_cell(d->answer, d->g, &value, d->how->with_values);
}

static bool put_element(void *with, graph_object key, graph_object value)
{
    struct decoding *d = with;
    if (d->shown++ >= d->how->rows)
        return false;
    if (d->is_map)
        put_object(d, key);
    else
        heapanswer_number(d->answer, d->shown - 1);
    put_object(d, value);
    return true;
}

static int decode_collection(struct decoding *d)
{
    struct collectwalk facts;
    int error = collectwalk_each(d->g, d->object->number, &facts, NULL, NULL);
    if (error < 0 || facts.kind == COLLECTWALK_NONE)
        return error;
    d->is_map = facts.kind == COLLECTWALK_ENTRIES;
    begin(d, d->is_map ? "map" : "collection");
    heapanswer_fact(d->answer, "size", d->is_map ? "entries" : "elements", HEAPANSWER_COUNT,
                    facts.size);
    if (facts.capacity > 0)
        heapanswer_fact(d->answer, "capacity", "slots of its array", HEAPANSWER_COUNT,
                        facts.capacity);
    if (d->is_map)
        heapanswer_table(d->answer, "entries", NULL, entry_columns, 2);
    else
        heapanswer_table(d->answer, "elements", NULL, element_columns, 2);
    error = collectwalk_each(d->g, d->object->number, &facts, put_element, d);
    heapanswer_table_end(d->answer, NULL);
    end(d);
    if (d->shown > d->how->rows)
        heapanswer_say(d->answer, "... -n shows more");
    return error;
}

/* ---- which */

static decoder *decoder_of(const struct graph *g, const struct graph_info *object)
{
    static const char *const values[] = {
        "java.util.Optional",
        "java.util.OptionalInt",
        "java.util.OptionalLong",
        "java.util.OptionalDouble",
        "java.lang.Boolean",
        "java.lang.Character",
        "java.lang.Byte",
        "java.lang.Short",
        "java.lang.Integer",
        "java.lang.Long",
        "java.lang.Float",
        "java.lang.Double",
        "java.util.concurrent.atomic.AtomicBoolean",
        "java.util.concurrent.atomic.AtomicInteger",
        "java.util.concurrent.atomic.AtomicLong",
        "java.util.concurrent.atomic.AtomicReference",
    };
    if (object->kind == GRAPH_CLASS)
        return decode_class;
    if (object->kind != GRAPH_INSTANCE || object->klass == GRAPH_NO_CLASS)
        return NULL;
    const char *name = objname_class(g, object->klass);
    if (strcmp(name, "java.lang.String") == 0)
        return decode_string;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (strcmp(name, values[i]) == 0)
            return decode_value;
    graph_class buffer = graph_class_named(g, "java.nio.Buffer");
    if (buffer != GRAPH_NO_CLASS && graph_class_is_a(g, object->klass, buffer))
        return decode_buffer;
    return decode_collection;
}

int decoded_put(struct heapanswer *a, struct graph *g, const struct graph_info *object,
                const struct decoded_how *how)
{
    struct decoding d = {.answer = a, .g = g, .object = object, .how = how};
    decoder *decode = decoder_of(g, object);
    return decode ? decode(&d) : 0;
}
