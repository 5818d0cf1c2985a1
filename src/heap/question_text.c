/*
 * question_text.c - texts and JSON of answers about a heap.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/question_text.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/sink.h"
#include "format/json_out.h"
#include "heap/objname.h"

enum { VALUE_BYTES = 128 };

double question_text_share(const struct question_asked *a, uint64_t bytes)
{
    uint64_t all = graph_facts(a->graph)->reachable_bytes;
    return all == 0 ? 0 : 100.0 * (double)bytes / (double)all;
}

void question_text_object(struct question_asked *a, graph_object object)
{
    struct graph_info info;
    char name[GRAPH_THREAD_NAME];
    if (object == GRAPH_NONE || object == GRAPH_ROOT) {
        sink_text(a->out, object == GRAPH_NONE ? "null" : "(roots)");
        return;
    }
    if (graph_look(a->graph, object, &info) < 0) {
        sink_printf(a->out, "(unreadable) @ 0x%" PRIx64, graph_id(a->graph, object));
        return;
    }
    if (info.kind == GRAPH_CLASS)
        sink_printf(a->out, "class %s", objname_class(a->graph, info.self));
    else
        sink_text(a->out, objname_class(a->graph, info.klass));
    if (info.kind == GRAPH_OBJECT_ARRAY || info.kind == GRAPH_PRIMITIVE_ARRAY)
        sink_printf(a->out, " of %" PRIu64, info.count);
    sink_printf(a->out, " @ 0x%" PRIx64, info.id);
    if (info.kind == GRAPH_INSTANCE && graph_thread_of(a->graph, object)) {
        graph_thread_name(a->graph, object, name);
        if (name[0])
            sink_printf(a->out, " \"%s\"", name);
    }
}

void question_text_row(struct question_asked *a, graph_object object)
{
    char size[HEAPANSWER_BYTES_ROOM];
    uint64_t bytes = graph_retained(a->graph, object);
    sink_printf(a->out, "%12s %6.2f%%  ", heapanswer_bytes(bytes, size),
                question_text_share(a, bytes));
    question_text_object(a, object);
}

void question_text_quoted(struct question_asked *a, const char *text)
{
    json_out_text(a->out, text, strlen(text));
}

void question_text_json(struct question_asked *a, graph_object object)
{
    static const char *const kinds[] = {"instance", "object array", "primitive array", "class"};
    struct graph_info info;
    sink_printf(a->out, "\"id\": \"0x%" PRIx64 "\"", graph_id(a->graph, object));
    if (graph_look(a->graph, object, &info) < 0)
        return;
    sink_printf(a->out, ", \"kind\": \"%s\", \"class\": ", kinds[info.kind]);
    question_text_quoted(
        a, objname_class(a->graph, info.kind == GRAPH_CLASS ? info.self : info.klass));
    sink_printf(a->out, ", \"shallow_bytes\": %" PRIu64, info.shallow_bytes);
    if (info.kind == GRAPH_OBJECT_ARRAY || info.kind == GRAPH_PRIMITIVE_ARRAY)
        sink_printf(a->out, ", \"length\": %" PRIu64, info.count);
    if (graph_is_reachable(a->graph, object))
        sink_printf(a->out, ", \"retained_bytes\": %" PRIu64, graph_retained(a->graph, object));
    if (info.kind == GRAPH_INSTANCE && graph_thread_of(a->graph, object)) {
        char name[GRAPH_THREAD_NAME];
        graph_thread_name(a->graph, object, name);
        sink_text(a->out, ", \"thread\": ");
        question_text_quoted(a, name);
    }
}

bool question_text_root(struct question_asked *a, graph_object object)
{
    const struct graph_root *root = graph_root_of(a->graph, object);
    char name[GRAPH_THREAD_NAME];
    if (!root)
        return false;
    sink_text(a->out, graph_root_word(root->kind));
    if (root->kind == GRAPH_ROOT_THREAD || root->thread != GRAPH_NONE) {
        graph_thread_name(a->graph, root->kind == GRAPH_ROOT_THREAD ? object : root->thread, name);
        if (name[0])
            sink_printf(a->out, root->kind == GRAPH_ROOT_THREAD ? " \"%s\"" : " of thread \"%s\"",
                        name);
    }
    return true;
}

const char *question_text_edge_kind(enum graph_edge_kind kind)
{
    static const char *const words[] = {
        [GRAPH_EDGE_FIELD] = "field",         [GRAPH_EDGE_ELEMENT] = "element",
        [GRAPH_EDGE_CLASS] = "class",         [GRAPH_EDGE_STATIC] = "static field",
        [GRAPH_EDGE_SUPER] = "superclass",    [GRAPH_EDGE_LOADER] = "class loader",
        [GRAPH_EDGE_OF_CLASS] = "class data", [GRAPH_EDGE_LOCAL] = "local",
    };
    return words[kind];
}

void question_text_edge(struct question_asked *a, const struct graph_edge *edge)
{
    switch (edge->kind) {
    case GRAPH_EDGE_FIELD:
    case GRAPH_EDGE_STATIC:
        sink_printf(a->out, "%s %s", question_text_edge_kind(edge->kind), edge->name);
        break;
    case GRAPH_EDGE_ELEMENT:
        sink_printf(a->out, "element %" PRIu64, edge->index);
        break;
    case GRAPH_EDGE_OF_CLASS:
        sink_text(a->out, edge->name);
        break;
    case GRAPH_EDGE_LOCAL:
        sink_text(a->out, "local");
        if (edge->index != UINT32_MAX)
            sink_printf(a->out, " of frame %" PRIu64, edge->index);
        break;
    default:
        sink_printf(a->out, "its %s", question_text_edge_kind(edge->kind));
        break;
    }
    if (edge->is_weak)
        sink_text(a->out, " (keeps nothing alive)");
}

static double float_of(uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof(value));
    return value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* A reference; of a String the text. */
static void put_reference(struct question_asked *a, const struct graph_value *value)
{
    char text[VALUE_BYTES];
    uint64_t chars;
    if (value->object == GRAPH_NONE && value->bits != 0) {
        sink_printf(a->out, "0x%" PRIx64 " (not in the dump)", value->bits);
        return;
    }
    question_text_object(a, value->object);
    if (a->with_values && value->object != GRAPH_NONE &&
        graph_text(a->graph, value->object, text, sizeof(text), &chars) >= 0)
        sink_printf(a->out, " \"%s\"%s", text, strlen(text) + 4 > sizeof(text) ? "..." : "");
}

void question_text_value(struct question_asked *a, const struct graph_value *value)
{
    switch (value->type) {
    case GRAPH_TYPE_OBJECT:
        put_reference(a, value);
        break;
    case GRAPH_TYPE_BOOLEAN:
        sink_text(a->out, value->bits ? "true" : "false");
        break;
    case GRAPH_TYPE_FLOAT:
        sink_printf(a->out, "%.9g", float_of(value->bits));
        break;
    case GRAPH_TYPE_DOUBLE:
        sink_printf(a->out, "%.17g", double_of(value->bits));
        break;
    case GRAPH_TYPE_CHAR:
        if (value->bits >= ' ' && value->bits < 0x7f)
            sink_printf(a->out, "'%c'", (int)value->bits);
        else
            sink_printf(a->out, "\\u%04x", (unsigned)value->bits);
        break;
    default:
        sink_printf(a->out, "%" PRId64, (int64_t)value->bits);
        break;
    }
}

bool question_text_keep(void *with, graph_object object)
{
    struct question_text_best *b = with;
    uint64_t bytes = graph_retained(b->graph, object);
    b->seen++;
    b->bytes += bytes;
    if (b->count == b->room &&
        (b->room == 0 || graph_retained(b->graph, b->objects[b->count - 1]) >= bytes))
        return true;
    uint32_t at = b->count < b->room ? b->count++ : b->count - 1;
    for (; at > 0 && graph_retained(b->graph, b->objects[at - 1]) < bytes; at--)
        b->objects[at] = b->objects[at - 1];
    b->objects[at] = object;
    return true;
}
