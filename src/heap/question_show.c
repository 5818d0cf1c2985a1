/*
 * question_show.c - `show ID`: one object with its fields or elements.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <string.h>
#include "base/err.h"
#include "base/plural.h"
#include "base/sink.h"
#include "heap/question_text.h"

enum { TEXT_BYTES = 4096, PREVIEW = 32 };

/* The state of printing fields. */
struct fields {
    struct question_asked *a;
    graph_class last;
    bool is_first;
};

static void json_value(struct question_asked *a, const struct graph_value *value)
{
    if (value->type == GRAPH_TYPE_OBJECT && value->object != GRAPH_NONE) {
        sink_text(a->out, "{");
        question_text_json(a, value->object);
        sink_text(a->out, "}");
    } else if (value->type == GRAPH_TYPE_OBJECT) {
        sink_text(a->out, "null");
    } else if (!a->with_values) {
        sink_text(a->out, "\"(left out)\"");
    } else if (value->type == GRAPH_TYPE_CHAR) {
        sink_printf(a->out, "%u", (unsigned)value->bits);
    } else if (value->type == GRAPH_TYPE_FLOAT || value->type == GRAPH_TYPE_DOUBLE) {
        /* JSON has no NaN and no infinity. */
        sink_text(a->out, "\"");
        question_text_value(a, value);
        sink_text(a->out, "\"");
    } else {
        question_text_value(a, value);
    }
}

static bool show_field(void *with, const struct graph_field *field, graph_class declared_in,
                       const struct graph_value *value)
{
    struct fields *f = with;
    struct question_asked *a = f->a;
    const char *class_name = graph_class_at(a->graph, declared_in)->name;
    if (a->is_json) {
        sink_text(a->out, f->is_first ? "\n  {\"field\": " : ",\n  {\"field\": ");
        question_text_quoted(a, field->name);
        sink_text(a->out, ", \"declared_in\": ");
        question_text_quoted(a, class_name);
        sink_text(a->out, ", \"value\": ");
        json_value(a, value);
        sink_text(a->out, "}");
    } else {
        if (f->is_first || declared_in != f->last)
            sink_printf(a->out, "  fields of %s\n", class_name);
        sink_printf(a->out, "    %s = ", field->name);
        question_text_value(a, value);
        sink_text(a->out, "\n");
    }
    f->is_first = false;
    f->last = declared_in;
    return true;
}

static int show_elements(struct question_asked *a, const struct graph_info *info)
{
    uint64_t count = info->count < a->rows ? info->count : a->rows;
    int error = 0;
    for (uint64_t i = 0; error == 0 && i < count; i++) {
        struct graph_value value;
        error = graph_value_elements(a->graph, info->number, i, 1, &value);
        if (error < 0)
            break;
        if (a->is_json) {
            sink_text(a->out, i == 0 ? "\n  " : ",\n  ");
            json_value(a, &value);
        } else {
            sink_printf(a->out, "    [%" PRIu64 "] ", i);
            question_text_value(a, &value);
            sink_text(a->out, "\n");
        }
    }
    if (!a->is_json && info->count > count)
        sink_printf(a->out, "    ... %" PRIu64 " more element%s\n", info->count - count,
                    plural_s(info->count - count));
    return error;
}

static void show_text(struct question_asked *a)
{
    char text[TEXT_BYTES];
    uint64_t chars = 0;
    if (!a->with_values || graph_text(a->graph, a->object, text, sizeof(text), &chars) < 0)
        return;
    if (a->is_json) {
        sink_text(a->out, ", \"text\": ");
        question_text_quoted(a, text);
    } else {
        sink_printf(a->out, "  %" PRIu64 " character%s: \"%s\"\n", chars, plural_s(chars), text);
    }
}

static void show_head(struct question_asked *a, const struct graph_info *info)
{
    char shallow[HEAPANSWER_BYTES_ROOM], retained[HEAPANSWER_BYTES_ROOM];
    graph_object dominator = graph_dominator(a->graph, info->number);
    question_text_object(a, info->number);
    sink_printf(a->out, "\n  own size %s, retained %s",
                heapanswer_bytes(info->shallow_bytes, shallow),
                heapanswer_bytes(graph_retained(a->graph, info->number), retained));
    if (!graph_is_reachable(a->graph, info->number))
        sink_text(a->out, "; no root reaches it");
    sink_text(a->out, "\n");
    if (graph_root_of(a->graph, info->number)) {
        sink_text(a->out, "  root: ");
        question_text_root(a, info->number);
        sink_text(a->out, "\n");
    } else if (dominator != GRAPH_ROOT && dominator != GRAPH_NONE) {
        sink_text(a->out, "  held by ");
        question_text_object(a, dominator);
        sink_text(a->out, "\n");
    } else if (dominator == GRAPH_ROOT) {
        sink_text(a->out, "  held by several roots\n");
    }
}

static int answer(struct question_asked *a)
{
    struct graph_info info;
    struct fields fields = {.a = a, .is_first = true};
    int error = graph_look(a->graph, a->object, &info);
    if (error < 0)
        return error;
    if (a->is_json) {
        sink_text(a->out, "{\"question\": \"show\", ");
        question_text_json(a, a->object);
        show_text(a);
        sink_text(a->out, ", \"rows\": [");
    } else {
        show_head(a, &info);
        show_text(a);
    }
    if (info.kind == GRAPH_INSTANCE || info.kind == GRAPH_CLASS)
        error = graph_each_field(a->graph, a->object, show_field, &fields);
    else if (info.kind == GRAPH_OBJECT_ARRAY || a->with_values)
        error = show_elements(a, &info);
    if (a->is_json)
        sink_text(a->out, "\n]}\n");
    return error;
}

const struct question question_show = {
    .name = "show",
    .operand = "ID",
    .help = "One object: its sizes, fields or elements, the text of a String",
    .needs_dominators = true,
    .needs_elements = true,
    .answer = answer,
};
