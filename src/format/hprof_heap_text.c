/*
 * hprof_heap_text.c - the HEAP DUMP of a text HPROF file, in the layout of the original agent.
 *
 * Values that are not references, and null references, are not printed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include "base/plain.h"
#include "base/sink.h"
#include "format/hprof_heap.h"

static void text_string(struct hprof_heap *h, uint64_t id, const char *bytes, size_t len)
{
}

static void text_load_class(struct hprof_heap *h, const struct hprof_heap_class *k,
                            uint64_t name_id)
{
}

static void text_begin(struct hprof_heap *h, uint64_t objects, uint64_t bytes)
{
    sink_printf(h->sink, "HEAP DUMP BEGIN (%" PRIu64 " objects, %" PRIu64 " bytes) ", objects,
                bytes);
    sink_text(h->sink, h->date);
}

static void put_name(struct hprof_heap *h, const char *name)
{
    plain_put(h->sink, name, strlen(name));
}

static void put_static(struct hprof_heap *h, const char *name, uint64_t value)
{
    sink_text(h->sink, "\tstatic ");
    put_name(h, name);
    sink_printf(h->sink, "\t%" PRIx64 "\n", value);
}

static void text_root(struct hprof_heap *h, const struct hprof_heap_root *r)
{
    sink_printf(h->sink, "ROOT %" PRIx64 " (kind=", r->object);
    switch (r->kind) {
    case HPROF_ROOT_THREAD:
        sink_printf(h->sink, "<thread>, id=%" PRIu32 ", trace=%" PRIu32 ")\n", r->thread, r->trace);
        break;
    case HPROF_ROOT_THREAD_BLOCK:
        sink_printf(h->sink, "<thread block>, thread=%" PRIu32 ")\n", r->thread);
        break;
    case HPROF_ROOT_JAVA_FRAME:
        sink_printf(h->sink, "<Java stack>, thread=%" PRIu32 ", frame=%" PRId32 ")\n", r->thread,
                    r->frame);
        break;
    case HPROF_ROOT_JNI_LOCAL:
        sink_printf(h->sink, "<JNI local ref>, thread=%" PRIu32 ", frame=%" PRId32 ")\n", r->thread,
                    r->frame);
        break;
    case HPROF_ROOT_JNI_GLOBAL:
        sink_printf(h->sink, "<JNI global ref>, id=%" PRIx64 ", trace=%" PRIu32 ")\n", r->reference,
                    r->trace);
        break;
    case HPROF_ROOT_SYSTEM_CLASS:
        sink_text(h->sink, "<system class>, name=");
        put_name(h, r->name ? r->name : "<unknown class>");
        sink_text(h->sink, ")\n");
        break;
    case HPROF_ROOT_MONITOR:
        sink_text(h->sink, "<busy monitor>)\n");
        break;
    default:
        sink_text(h->sink, "<unknown>)\n");
        break;
    }
}

static void put_link(struct hprof_heap *h, const char *what, uint64_t id)
{
    if (id != 0)
        sink_printf(h->sink, "\t%s\t\t%" PRIx64 "\n", what, id);
}

static void text_klass(struct hprof_heap *h, const struct hprof_heap_class *k)
{
    sink_printf(h->sink, "CLS %" PRIx64 " (name=", k->object);
    put_name(h, k->name);
    sink_printf(h->sink, ", trace=%" PRIu32 ")\n", k->trace);
    put_link(h, "super", k->super ? k->super->object : 0);
    put_link(h, "loader", k->loader);
    put_link(h, "signers", k->signers);
    put_link(h, "domain", k->domain);
    for (uint32_t i = 0; i < k->static_count; i++) {
        if (k->statics[i].type == HPROF_OBJECT && k->statics[i].value != 0)
            put_static(h, k->statics[i].name, k->statics[i].value);
    }
    for (uint32_t i = 0; i < k->constant_count; i++)
        sink_printf(h->sink, "\tconstant pool entry %" PRIu32 "\t%" PRIx64 "\n",
                    k->constants[i].index, k->constants[i].object);
}

static void text_instance(struct hprof_heap *h, const struct hprof_heap_object *o,
                          const uint64_t *values)
{
    sink_printf(h->sink, "OBJ %" PRIx64 " (sz=%" PRIu64 ", trace=%" PRIu32 ", class=", o->id,
                o->bytes, o->trace);
    put_name(h, o->klass->name);
    sink_printf(h->sink, "@%" PRIx64 ")\n", o->klass->object);
    for (const struct hprof_heap_class *k = o->klass; k; k = k->super) {
        for (uint32_t i = 0; i < k->field_count; i++, values++) {
            if (k->fields[i].type != HPROF_OBJECT || *values == 0)
                continue;
            sink_text(h->sink, "\t");
            put_name(h, k->fields[i].name);
            sink_text(h->sink, strlen(k->fields[i].name) < 8 ? "\t\t" : "\t");
            sink_printf(h->sink, "%" PRIx64 "\n", *values);
        }
    }
}

static void text_objects(struct hprof_heap *h, const struct hprof_heap_object *o, uint32_t count)
{
    sink_printf(
        h->sink,
        "ARR %" PRIx64 " (sz=%" PRIu64 ", trace=%" PRIu32 ", nelems=%" PRIu32 ", elem type=", o->id,
        o->bytes, o->trace, count);
    put_name(h, o->klass->name);
    sink_printf(h->sink, "@%" PRIx64 ")\n", o->klass->object);
    h->element_index = 0;
}

static void text_elements(struct hprof_heap *h, const uint64_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, h->element_index++) {
        if (ids[i] != 0)
            sink_printf(h->sink, "\t[%" PRIu64 "]\t\t%" PRIx64 "\n", h->element_index, ids[i]);
    }
}

static void text_primitives(struct hprof_heap *h, const struct hprof_heap_object *o,
                            enum hprof_heap_type type, uint32_t count, const unsigned char *bytes)
{
    static const char *const names[] = {"",      "",       "",     "",      "boolean", "char",
                                        "float", "double", "byte", "short", "int",     "long"};
    sink_printf(h->sink,
                "ARR %" PRIx64 " (sz=%" PRIu64 ", trace=%" PRIu32 ", nelems=%" PRIu32
                ", elem type=%s[])\n",
                o->id, (uint64_t)count * hprof_heap_size(type, 4), o->trace, count, names[type]);
}

static void text_left_out(struct hprof_heap *h, const struct hprof_heap_object *o,
                          enum hprof_heap_type type, uint32_t count)
{
    text_primitives(h, o, type, count, NULL);
}

static void text_end(struct hprof_heap *h)
{
    sink_text(h->sink, "HEAP DUMP END\n");
}

const struct hprof_heap_ops hprof_heap_text = {
    .string = text_string,
    .load_class = text_load_class,
    .begin = text_begin,
    .root = text_root,
    .klass = text_klass,
    .instance = text_instance,
    .objects = text_objects,
    .elements = text_elements,
    .primitives = text_primitives,
    .left_out = text_left_out,
    .end = text_end,
};
