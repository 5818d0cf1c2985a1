/*
 * question_referrers.c - `referrers ID`: the objects that refer to an object.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include "base/plural.h"
#include "base/sink.h"
#include "heap/question_text.h"

/* The state of printing. */
struct rows {
    struct question_asked *a;
    uint64_t count;
};

static bool row(void *with, const struct graph_edge *edge)
{
    struct rows *r = with;
    struct question_asked *a = r->a;
    if (++r->count > a->rows)
        return true;
    if (a->is_json) {
        sink_text(a->out, r->count == 1 ? "\n  {" : ",\n  {");
        question_text_json(a, edge->from);
        sink_printf(a->out, ", \"by\": \"%s\", \"name\": ", question_text_edge_kind(edge->kind));
        question_text_quoted(a, edge->name);
        sink_printf(a->out, ", \"keeps_alive\": %s}", edge->is_weak ? "false" : "true");
    } else {
        sink_text(a->out, "  ");
        question_text_object(a, edge->from);
        sink_text(a->out, "  ");
        question_text_edge(a, edge);
        sink_text(a->out, "\n");
    }
    return true;
}

static int answer(struct question_asked *a)
{
    struct rows r = {.a = a};
    if (a->is_json) {
        sink_text(a->out, "{\"question\": \"referrers\", ");
        question_text_json(a, a->object);
        sink_text(a->out, ", \"rows\": [");
    } else {
        question_text_object(a, a->object);
        sink_text(a->out, "\n");
        if (graph_root_of(a->graph, a->object)) {
            sink_text(a->out, "  root: ");
            question_text_root(a, a->object);
            sink_text(a->out, "\n");
        }
    }
    int error = graph_each_edge_to(a->graph, &a->object, 1, row, &r);
    if (a->is_json)
        sink_printf(a->out, "\n], \"referrers\": %" PRIu64 "}\n", r.count);
    else
        sink_printf(a->out, "%" PRIu64 " reference%s to it%s\n", r.count, plural_s(r.count),
                    r.count > a->rows ? "; -n shows more" : "");
    return error;
}

const struct question question_referrers = {
    .name = "referrers",
    .operand = "ID",
    .help = "Who refers to an object, weak references included",
    .answer = answer,
};
