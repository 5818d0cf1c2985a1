/*
 * question_path.c - `path ID`: a shortest path from a root to an object.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"
#include "base/sink.h"
#include "heap/question_text.h"

/* The state of printing a path. */
struct steps {
    struct question_asked *a;
    bool has_begun;
};

static void begin(struct question_asked *a, graph_object root)
{
    if (a->is_json) {
        sink_text(a->out, "\n  {");
        question_text_json(a, root);
        sink_text(a->out, ", \"root\": ");
        const struct graph_root *r = graph_root_of(a->graph, root);
        question_text_quoted(a, r ? graph_root_word(r->kind) : "");
        sink_text(a->out, "}");
        return;
    }
    sink_text(a->out, "root: ");
    question_text_root(a, root);
    sink_text(a->out, "\n  ");
    question_text_object(a, root);
    sink_text(a->out, "\n");
}

static bool step(void *with, const struct graph_edge *edge)
{
    struct steps *s = with;
    struct question_asked *a = s->a;
    if (!s->has_begun)
        begin(a, edge->from);
    s->has_begun = true;
    if (a->is_json) {
        sink_text(a->out, ",\n  {");
        question_text_json(a, edge->to);
        sink_printf(a->out, ", \"by\": \"%s\", \"name\": ", question_text_edge_kind(edge->kind));
        question_text_quoted(a, edge->name);
        sink_text(a->out, "}");
    } else {
        sink_text(a->out, "  ");
        question_text_edge(a, edge);
        sink_text(a->out, " -> ");
        question_text_object(a, edge->to);
        sink_text(a->out, "\n");
    }
    return true;
}

static int answer(struct question_asked *a)
{
    struct steps s = {.a = a};
    if (!graph_is_reachable(a->graph, a->object)) {
        a->why = "no root reaches this object";
        return E_NOT_FOUND;
    }
    if (a->is_json)
        sink_text(a->out, "{\"question\": \"path\", \"rows\": [");
    int error = graph_path(a->graph, a->object, step, &s);
    if (error == 0 && !s.has_begun)
        begin(a, a->object);
    if (a->is_json)
        sink_text(a->out, "\n]}\n");
    return error;
}

const struct question question_path = {
    .name = "path",
    .operand = "ID",
    .help = "A shortest path from a root to an object: why it is still there",
    .needs_dominators = true,
    .answer = answer,
};
